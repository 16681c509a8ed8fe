// The global size is halved in a loop.
#include "common.h"

int main(void)
{
    cl_context context = make_context();
    cl_command_queue queue = make_queue(context);
    cl_program program = make_program(context);
    cl_kernel kernel = clCreateKernel(program, "scale", NULL);
    size_t global = 1024;
    while (global > 1) {
        size_t local = global < 64 ? global : 64;
        // launch: kernel=scale; dim=1; global=2 or 4 or 8 or 16 or 32 or 64 or 128 or 256 or 512 or 1024; local=2 or 4 or 8 or 16 or 32 or 64; changes=global 0, local 0
        clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, &local, 0, NULL, NULL);
        global /= 2;
    }
    return 0;
}
