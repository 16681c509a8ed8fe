// A struct that is set as a whole and then in parts may be halfway when something is thrown.
#include "common.h"

struct shape {
    size_t group;
    size_t items;
};
struct shape shape;

// Not among the given files.
void refill(struct shape *shape);

static void check(int status)
{
    if (status > 3)
        throw status;
}

int main(int argc, char **argv)
{
    cl_context context = make_context();
    cl_command_queue queue = make_queue(context);
    cl_kernel kernel = clCreateKernel(make_program(context), "scale", NULL);
    struct shape nothing = {0, 0};
    shape.items = 128;
    shape.group = 16;
    try {
        check(argc);
        shape = nothing;
        check(argc + 1);
        shape.items = 256;
        shape.group = 4;
    } catch (int) {
    }
    // launch: kernel=scale; dim=1; global=0 or 128 or 256; local=0 or 4 or 16
    clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &shape.items, &shape.group, 0, NULL, NULL);
    shape.items = 128;
    shape.group = 16;
    try {
        check(argc);
        refill(&shape);
        check(argc + 1);
        shape.items = 256;
        shape.group = 4;
    } catch (int) {
    }
    // launch: kernel=scale; dim=1; global=? refill; local=? refill
    clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &shape.items, &shape.group, 0, NULL, NULL);
    return 0;
}
