// All kernels of a program are made at once: their order is not known.
#include "common.h"

int main(void)
{
    cl_context context = make_context();
    cl_command_queue queue = make_queue(context);
    cl_program program = make_program(context);
    cl_kernel kernels[4];
    cl_uint count;
    clCreateKernelsInProgram(program, 4, kernels, &count);
    size_t global = 64;
    // launch: kernel=? clCreateKernelsInProgram; dim=1; global=64; local=NULL
    clEnqueueNDRangeKernel(queue, kernels[1], 1, NULL, &global, NULL, 0, NULL, NULL);
    return 0;
}
