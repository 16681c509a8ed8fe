// Buffers are made in a loop of unknown length: no name means one of them.
#include "common.h"

int main(int argc, char **argv)
{
    cl_context context = make_context();
    cl_command_queue queue = make_queue(context);
    cl_program program = make_program(context);
    cl_kernel kernel = clCreateKernel(program, "scale", NULL);
    size_t global = 64;
    int count = atoi(argv[1]);
    cl_mem *parts = (cl_mem *)malloc(count * sizeof(cl_mem));
    for (int i = 0; i < count; i++)
        parts[i] = clCreateBuffer(context, CL_MEM_READ_WRITE, 1024, NULL, NULL);
    cl_mem first = parts[0], last = parts[count - 1];
    clSetKernelArg(kernel, 0, sizeof(cl_mem), &first);
    clSetKernelArg(kernel, 1, sizeof(cl_mem), &last);
    // launch: kernel=scale; dim=1; global=64; local=NULL
    clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, NULL, 0, NULL, NULL);
    return 0;
}
