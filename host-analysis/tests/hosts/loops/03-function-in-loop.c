// A function that launches is called from a loop.
#include "common.h"

static void step(cl_command_queue queue, cl_kernel kernel, int round)
{
    size_t global = 256;
    clSetKernelArg(kernel, 1, sizeof(round), &round);
    // launch: kernel=scale; dim=1; global=256; local=NULL; changes=argument 1
    clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, NULL, 0, NULL, NULL);
}

int main(int argc, char **argv)
{
    cl_context context = make_context();
    cl_command_queue queue = make_queue(context);
    cl_program program = make_program(context);
    cl_kernel kernel = clCreateKernel(program, "scale", NULL);
    int rounds = argc * 100;
    while (rounds-- > 0)
        step(queue, kernel, rounds);
    return 0;
}
