// Numbers of kernels and sizes are enumerators.
#include "common.h"

enum { K_SCALE, K_ADD, K_COUNT };
enum sizes { SMALL = 32, MEDIUM = SMALL * 4, LARGE };

int main(void)
{
    cl_context context = make_context();
    cl_command_queue queue = make_queue(context);
    cl_program program = make_program(context);
    cl_kernel kernels[K_COUNT];
    kernels[K_SCALE] = clCreateKernel(program, "scale", NULL);
    kernels[K_ADD] = clCreateKernel(program, "add", NULL);
    size_t global = LARGE - 1, local = SMALL;
    // launch: kernel=add; dim=1; global=128; local=32
    clEnqueueNDRangeKernel(queue, kernels[K_COUNT - 1], 1, NULL, &global, &local, 0, NULL, NULL);
    return 0;
}
