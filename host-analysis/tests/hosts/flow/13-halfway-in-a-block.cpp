// A handler finds what its block assigned, also in functions and before something else was assigned,
// and nothing that only code behind it assigns.
#include "common.h"

size_t group = 8;

static void set(int n)
{
    int rest = n % 16 + n / 16 + (n & 3) + (n ^ 5);
    group = 16;
    if (rest > 100)
        throw 1;
    group = 4;
}

int main(int argc, char **argv)
{
    cl_context context = make_context();
    cl_command_queue queue = make_queue(context);
    cl_kernel kernel = clCreateKernel(make_program(context), "scale", NULL);
    size_t global = 128;
    set(argc);
    // launch: kernel=scale; dim=1; global=128; local=4
    clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, &group, 0, NULL, NULL);
    group = 8;
    try {
        set(argc);
        group = 2;
    } catch (...) {
        // launch: kernel=scale; dim=1; global=128; local=0 or 2 or 4 or 8 or 16
        clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, &group, 0, NULL, NULL);
        return 1;
    }
    // launch: kernel=scale; dim=1; global=128; local=2
    clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, &group, 0, NULL, NULL);
    group = 32;
    // launch: kernel=scale; dim=1; global=128; local=32
    clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, &group, 0, NULL, NULL);
    return 0;
}
