// The right side of && may be evaluated.
#include "common.h"

int main(int argc, char **argv)
{
    cl_context context = make_context();
    cl_command_queue queue = make_queue(context);
    cl_program program = make_program(context);
    cl_kernel kernel = clCreateKernel(program, "scale", NULL);
    size_t global = 64, local = 4;
    bool wide = argc > 1 && (local = 8) != 0;
    wide || (global *= 2);
    // launch: kernel=scale; dim=1; global=64 or 128; local=4 or 8
    clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, &local, 0, NULL, NULL);
    return 0;
}
