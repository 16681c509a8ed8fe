// The loop ends when the device says so.
#include "common.h"

int main(void)
{
    cl_context context = make_context();
    cl_command_queue queue = make_queue(context);
    cl_program program = make_program(context);
    cl_kernel kernel = clCreateKernel(program, "scale", NULL);
    size_t global = 4096, local = 128;
    cl_mem flag = clCreateBuffer(context, CL_MEM_READ_WRITE, sizeof(int), NULL, NULL);
    int done;
    clSetKernelArg(kernel, 0, sizeof(cl_mem), &flag);
    do {
        done = 1;
        clEnqueueWriteBuffer(queue, flag, CL_TRUE, 0, sizeof(int), &done, 0, NULL, NULL);
        // launch: kernel=scale; dim=1; global=4096; local=128; 0=main::flag; changes=
        clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, &local, 0, NULL, NULL);
        clEnqueueReadBuffer(queue, flag, CL_TRUE, 0, sizeof(int), &done, 0, NULL, NULL);
    } while (!done);
    return 0;
}
