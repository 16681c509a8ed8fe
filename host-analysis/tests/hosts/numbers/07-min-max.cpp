// std::min and std::max of constants, and of an input.
#include "common.h"
#include <algorithm>

int main(int argc, char **argv)
{
    cl_context context = make_context();
    cl_command_queue queue = make_queue(context);
    cl_program program = make_program(context);
    cl_kernel kernel = clCreateKernel(program, "scale", NULL);
    int n = atoi(argv[1]);
    size_t local = std::min(64, std::max(16, 8));
    size_t global = std::max(n, 256);
    // launch: kernel=scale; dim=1; local=16; global=max(n, 256) {min 256, at_least n}
    clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, &local, 0, NULL, NULL);
    return 0;
}
