// Each round of a loop makes a kernel: arguments of one are not those of another.
#include "common.h"

int main(int argc, char **argv)
{
    cl_context context = make_context();
    cl_command_queue queue = make_queue(context);
    cl_program program = make_program(context);
    cl_kernel kernels[8];
    size_t global = 64;
    cl_mem x = clCreateBuffer(context, CL_MEM_READ_WRITE, 64, NULL, NULL);
    cl_mem y = clCreateBuffer(context, CL_MEM_READ_WRITE, 64, NULL, NULL);
    for (int i = 0; i < argc; i++)
        kernels[i] = clCreateKernel(program, "scale", NULL);
    clSetKernelArg(kernels[0], 0, sizeof(cl_mem), &x);
    clSetKernelArg(kernels[1], 0, sizeof(cl_mem), &y);
    // launch: kernel=scale; dim=1; global=64; local=NULL; 0=main::x or main::y
    clEnqueueNDRangeKernel(queue, kernels[0], 1, NULL, &global, NULL, 0, NULL, NULL);
    return 0;
}
