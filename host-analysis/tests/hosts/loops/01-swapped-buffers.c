// Two buffers change places after each step.
#include "common.h"

int main(int argc, char **argv)
{
    cl_context context = make_context();
    cl_command_queue queue = make_queue(context);
    cl_program program = make_program(context);
    cl_kernel kernel = clCreateKernel(program, "scale", NULL);
    int steps = atoi(argv[1]);
    size_t global[2] = {512, 512}, local[2] = {16, 16};
    cl_mem in = clCreateBuffer(context, CL_MEM_READ_WRITE, 512 * 512 * 4, NULL, NULL);
    cl_mem out = clCreateBuffer(context, CL_MEM_READ_WRITE, 512 * 512 * 4, NULL, NULL);
    for (int step = 0; step < steps; step++) {
        clSetKernelArg(kernel, 0, sizeof(cl_mem), &in);
        clSetKernelArg(kernel, 1, sizeof(cl_mem), &out);
        clSetKernelArg(kernel, 2, sizeof(int), &step);
        // launch: kernel=scale; dim=2; global=512, 512; local=16, 16; 2=step;
        //   changes=argument 0, argument 1, argument 2
        clEnqueueNDRangeKernel(queue, kernel, 2, NULL, global, local, 0, NULL, NULL);
        cl_mem other = in;
        in = out;
        out = other;
    }
    return 0;
}
