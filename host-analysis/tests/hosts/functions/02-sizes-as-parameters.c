// Kernel, buffer and sizes come to the launch as parameters, from two callers.
#include "common.h"

static void run(cl_command_queue queue, cl_kernel kernel, cl_mem memory, size_t items, size_t group)
{
    size_t global[1] = {items}, local[1] = {group};
    clSetKernelArg(kernel, 0, sizeof(cl_mem), (void *)&memory);
    // launch: kernel=add|scale; dim=1; global=512 or 4096; local=64; 0=main::a or main::b
    clEnqueueNDRangeKernel(queue, kernel, 1, NULL, global, local, 0, NULL, NULL);
}

int main(void)
{
    cl_context context = make_context();
    cl_command_queue queue = make_queue(context);
    cl_program program = make_program(context);
    cl_kernel kernel = clCreateKernel(program, "scale", NULL);
    cl_kernel add = clCreateKernel(program, "add", NULL);
    cl_mem a = clCreateBuffer(context, CL_MEM_READ_ONLY, 4096, NULL, NULL);
    cl_mem b = clCreateBuffer(context, CL_MEM_READ_WRITE, 4096, NULL, NULL);
    run(queue, kernel, a, 4096, 64);
    run(queue, add, b, 512, 64);
    return 0;
}
