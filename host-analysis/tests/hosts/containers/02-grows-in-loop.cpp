// A vector grows as often as the user says: any of its elements may be what was put in.
#include "common.h"
#include <vector>

int main(int argc, char **argv)
{
    cl_context context = make_context();
    cl_program program = make_program(context);
    cl_command_queue queue = make_queue(context);
    std::vector<cl_kernel> kernels;
    kernels.push_back(clCreateKernel(program, "first", NULL));
    for (int i = 1; i < argc; i++)
        kernels.push_back(clCreateKernel(program, "more", NULL));
    size_t global = 64;
    // launch: kernel=first|more; dim=1; global=64; local=NULL
    clEnqueueNDRangeKernel(queue, kernels[0], 1, NULL, &global, NULL, 0, NULL, NULL);
    return 0;
}
