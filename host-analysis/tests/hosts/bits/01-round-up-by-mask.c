// A mask rounds up to a power of two.
#include "common.h"

#define ALIGN_UP(x, a) (((x) + (a) - 1) & ~((a) - 1))

int main(void)
{
    cl_context context = make_context();
    cl_command_queue queue = make_queue(context);
    cl_program program = make_program(context);
    cl_kernel kernel = clCreateKernel(program, "scale", NULL);
    size_t local = 1 << 6, global = ALIGN_UP(1000, 64);
    // launch: kernel=scale; dim=1; global=1024; local=64
    clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, &local, 0, NULL, NULL);
    return 0;
}
