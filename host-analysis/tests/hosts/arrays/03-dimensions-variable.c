// The number of dimensions is a variable.
#include "common.h"

int main(int argc, char **argv)
{
    cl_context context = make_context();
    cl_command_queue queue = make_queue(context);
    cl_program program = make_program(context);
    cl_kernel kernel = clCreateKernel(program, "scale", NULL);
    size_t global[3] = {64, 64, 64};
    cl_uint dimensions = 2;
    if (argc > 1)
        dimensions++;
    // launch: kernel=scale; dim=2 or 3; global=64, 64, 64; local=NULL
    clEnqueueNDRangeKernel(queue, kernel, dimensions, NULL, global, NULL, 0, NULL, NULL);
    return 0;
}
