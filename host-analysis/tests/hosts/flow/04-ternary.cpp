// Nested conditional operators choose.
#include "common.h"

int main(int argc, char **argv)
{
    cl_context context = make_context();
    cl_command_queue queue = make_queue(context);
    cl_program program = make_program(context);
    cl_kernel kernel = clCreateKernel(program, "scale", NULL);
    const bool gpu = argc > 1;
    const size_t local = gpu ? (argc > 2 ? 256 : 128) : 1;
    const size_t global = local * (argc > 3 ? 8 : 4);
    // launch: kernel=scale; dim=1; global=4 or 8 or 512 or 1024 or 2048; local=1 or 128 or 256
    clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, &local, 0, NULL, NULL);
    return 0;
}
