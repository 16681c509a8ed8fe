// One buffer has two names.
#include "common.h"

int main()
{
    cl_context context = make_context();
    cl_command_queue queue = make_queue(context);
    cl_program program = make_program(context);
    cl_kernel kernel = clCreateKernel(program, "scale", NULL);
    cl_mem first = clCreateBuffer(context, CL_MEM_READ_WRITE, 256, NULL, NULL);
    cl_mem second = first;
    clSetKernelArg(kernel, 0, sizeof(first), &first);
    clSetKernelArg(kernel, 1, sizeof(second), &second);
    size_t global = 64;
    // launch: kernel=scale; dim=1; global=64; local=NULL; 0=main::first; 1=main::first
    clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, NULL, 0, NULL, NULL);
    return 0;
}
