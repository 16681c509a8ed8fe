// The launch itself is in a macro, which two places use with other sizes.
#include "common.h"

#define RUN(kernel, items, group)                                                             \
    {                                                                                         \
        size_t g = (items), l = (group);                                                      \
        g = (g + l - 1) / l * l;                                                              \
        clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &g, &l, 0, NULL, NULL);                \
    }

int main(void)
{
    cl_context context = make_context();
    cl_command_queue queue = make_queue(context);
    cl_program program = make_program(context);
    cl_kernel kernel = clCreateKernel(program, "scale", NULL);
    cl_kernel add = clCreateKernel(program, "add", NULL);
    // launch: kernel=scale; dim=1; global=1024; local=256
    RUN(kernel, 1000, 256)
    // launch: kernel=add; dim=1; global=128; local=64
    RUN(add, 100, 64)
    return 0;
}
