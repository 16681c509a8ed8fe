// An element at an index that only the run gives is written.
#include "common.h"

int main(int argc, char **argv)
{
    cl_context context = make_context();
    cl_command_queue queue = make_queue(context);
    cl_program program = make_program(context);
    cl_kernel kernel = clCreateKernel(program, "scale", NULL);
    size_t global[3] = {64, 64, 64}, *at = global;
    at += argc - 1;
    *at = 128;
    // launch: kernel=scale; dim=1; global=?; local=NULL
    clEnqueueNDRangeKernel(queue, kernel, 1, NULL, global, NULL, 0, NULL, NULL);
    return 0;
}
