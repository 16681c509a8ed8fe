// Which kernel of an array it is depends on the input.
#include "common.h"

int main(int argc, char **argv)
{
    cl_context context = make_context();
    cl_command_queue queue = make_queue(context);
    cl_program program = make_program(context);
    cl_kernel variants[2];
    variants[0] = clCreateKernel(program, "plain", NULL);
    variants[1] = clCreateKernel(program, "unrolled", NULL);
    int which = atoi(argv[1]);
    size_t global = 64;
    // launch: kernel=plain|unrolled; dim=1; global=64; local=NULL
    clEnqueueNDRangeKernel(queue, variants[which], 1, NULL, &global, NULL, 0, NULL, NULL);
    return 0;
}
