// A function makes all buffers: they are distinguished by who holds them.
#include "common.h"

static cl_mem make_buffer(cl_context context, size_t floats)
{
    cl_int error;
    cl_mem memory = clCreateBuffer(context, CL_MEM_READ_WRITE, floats * sizeof(float), NULL, &error);
    if (error != CL_SUCCESS)
        exit(1);
    return memory;
}

int main(void)
{
    cl_context context = make_context();
    cl_command_queue queue = make_queue(context);
    cl_program program = make_program(context);
    cl_kernel kernel = clCreateKernel(program, "scale", NULL);
    cl_mem a = make_buffer(context, 64), b = make_buffer(context, 64);
    clSetKernelArg(kernel, 0, sizeof(a), &a);
    clSetKernelArg(kernel, 1, sizeof(b), &b);
    size_t global = 64;
    // launch: kernel=scale; dim=1; global=64; local=NULL; 0=main::a; 1=main::b
    clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, NULL, 0, NULL, NULL);
    return 0;
}
