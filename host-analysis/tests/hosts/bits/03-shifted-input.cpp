// A shift of an input is a multiple of a power of two.
#include "common.h"

int main(int argc, char **argv)
{
    cl_context context = make_context();
    cl_command_queue queue = make_queue(context);
    cl_program program = make_program(context);
    cl_kernel kernel = clCreateKernel(program, "scale", NULL);
    const int tiles = atoi(argv[1]);
    const size_t local = 16, global = tiles << 4;
    // launch: kernel=scale; dim=1; global=tiles << 4 {multiple_of 16, input tiles}; local=16
    clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, &local, 0, NULL, NULL);
    return 0;
}
