// A kernel may write to the host's array, which a size is read from.
#include "common.h"

int main(void)
{
    cl_context context = make_context();
    cl_command_queue queue = make_queue(context);
    cl_program program = make_program(context);
    cl_kernel kernel = clCreateKernel(program, "scale", NULL);
    size_t sizes[2] = {64, 32};
    // buffer: name=main::memory; flags=READ_WRITE|USE_HOST_PTR; size=16
    cl_mem memory = clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR, sizeof(sizes), sizes, NULL);
    size_t global = 64;
    clSetKernelArg(kernel, 0, sizeof(cl_mem), &memory);
    // launch: kernel=scale; dim=1; global=64; local=NULL; 0=main::memory
    clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, NULL, 0, NULL, NULL);
    clEnqueueMapBuffer(queue, memory, CL_TRUE, CL_MAP_READ, 0, 16, 0, NULL, NULL, NULL);
    // launch: kernel=scale; dim=1; global=? any time; local=NULL
    clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &sizes[0], NULL, 0, NULL, NULL);
    return 0;
}
