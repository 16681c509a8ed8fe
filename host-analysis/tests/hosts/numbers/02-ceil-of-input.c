// The same with a number that the run gives.
#include "common.h"

int main(int argc, char **argv)
{
    cl_context context = make_context();
    cl_command_queue queue = make_queue(context);
    cl_program program = make_program(context);
    cl_kernel kernel = clCreateKernel(program, "scale", NULL);
    int n = atoi(argv[1]);
    size_t local = 64;
    size_t global = (size_t)(ceil((double)n / 64.0) * 64.0);
    // launch: kernel=scale; dim=1; local=64; global=(size_t)(ceil(((double)n) / 64.0) * 64.0) {input n}
    clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, &local, 0, NULL, NULL);
    return 0;
}
