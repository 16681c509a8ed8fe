// A struct is written as if it were an array.
#include "common.h"

struct range {
    size_t global, local;
};

int main(void)
{
    cl_context context = make_context();
    cl_command_queue queue = make_queue(context);
    cl_program program = make_program(context);
    cl_kernel kernel = clCreateKernel(program, "scale", NULL);
    struct range range = {1024, 64};
    size_t *words = (size_t *)&range;
    words[1] = 32;
    // launch: kernel=scale; dim=1; global=? moves; local=? moves
    clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &range.global, &range.local, 0, NULL, NULL);
    return 0;
}
