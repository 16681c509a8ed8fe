// The global size is halved in a loop, from one that is not known.
#include "common.h"

int main(int argc, char **argv)
{
    cl_context context = make_context();
    cl_command_queue queue = make_queue(context);
    cl_program program = make_program(context);
    cl_kernel kernel = clCreateKernel(program, "scale", NULL);
    size_t global = atoi(argv[argc - 1]);
    while (global > 1) {
        size_t local = global < 64 ? global : 64;
        // launch: kernel=scale; dim=1; global=global; local=64 or global; changes=global 0, local 0
        clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, &local, 0, NULL, NULL);
        global /= 2;
    }
    return 0;
}
