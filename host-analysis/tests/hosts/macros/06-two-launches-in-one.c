// One use of a macro launches two kernels.
#include "common.h"

#define BOTH(size)                                                                     \
    do {                                                                               \
        size_t g = size;                                                               \
        clEnqueueNDRangeKernel(queue, first, 1, NULL, &g, NULL, 0, NULL, NULL);        \
        g /= 2;                                                                        \
        clEnqueueNDRangeKernel(queue, second, 1, NULL, &g, NULL, 0, NULL, NULL);       \
    } while (0)

int main(void)
{
    cl_context context = make_context();
    cl_command_queue queue = make_queue(context);
    cl_program program = make_program(context);
    cl_kernel first = clCreateKernel(program, "first", NULL);
    cl_kernel second = clCreateKernel(program, "second", NULL);
    // launch: kernel=first|second; dim=1; global=32 or 64; local=NULL
    BOTH(64);
    return 0;
}
