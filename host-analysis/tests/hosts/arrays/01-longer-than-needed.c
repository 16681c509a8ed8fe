// Arrays of three serve a launch of one dimension, and dimensions of one pad another.
#include "common.h"

int main(void)
{
    cl_context context = make_context();
    cl_command_queue queue = make_queue(context);
    cl_program program = make_program(context);
    cl_kernel kernel = clCreateKernel(program, "scale", NULL);
    size_t global[3] = {1024, 1, 1}, local[3] = {64, 1, 1};
    // launch: kernel=scale; dim=1; global=1024; local=64
    clEnqueueNDRangeKernel(queue, kernel, 1, NULL, global, local, 0, NULL, NULL);
    // launch: kernel=scale; dim=3; global=1024, 1, 1; local=64, 1, 1
    clEnqueueNDRangeKernel(queue, kernel, 3, NULL, global, local, 0, NULL, NULL);
    return 0;
}
