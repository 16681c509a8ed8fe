// A size is rounded up in floating point.
#include "common.h"

#define N 1000
#define DIM 48

int main(void)
{
    cl_context context = make_context();
    cl_command_queue queue = make_queue(context);
    cl_program program = make_program(context);
    cl_kernel kernel = clCreateKernel(program, "scale", NULL);
    size_t local[2] = {DIM, 1};
    size_t global[2];
    global[0] = (size_t)ceil(((float)N) / ((float)DIM)) * DIM;
    global[1] = (size_t)(floor(N * 0.05) + 0.5);
    // launch: kernel=scale; dim=2; global=1008, 50; local=48, 1
    clEnqueueNDRangeKernel(queue, kernel, 2, NULL, global, local, 0, NULL, NULL);
    return 0;
}
