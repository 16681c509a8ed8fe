// std::stoi in a conditional operator.
#include "common.h"
#include <string>

int main(int argc, char **argv)
{
    cl_context context = make_context();
    cl_command_queue queue = make_queue(context);
    cl_program program = make_program(context);
    cl_kernel kernel = clCreateKernel(program, "scale", NULL);
    const int n = argc > 1 ? std::stoi(argv[1]) : 2048;
    const size_t local = 128;
    const size_t global = ((n + local - 1) / local) * local;
    // launch: kernel=scale; dim=1; local=128;
    //   global=2048 or (((n + 128) - 1) / 128) * 128
    clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, &local, 0, NULL, NULL);
    return 0;
}
