// A pointer chooses between two arrays; through it one of them is changed.
#include "common.h"

int main(int argc, char **argv)
{
    cl_context context = make_context();
    cl_command_queue queue = make_queue(context);
    cl_program program = make_program(context);
    cl_kernel kernel = clCreateKernel(program, "scale", NULL);
    size_t global = 1024, small = 16, large = 64;
    size_t *local = argc > 1 ? &large : &small;
    *local = 32;
    // launch: kernel=scale; dim=1; global=1024; local=16 or 32
    clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, &small, 0, NULL, NULL);
    return 0;
}
