// Kernels lie in a vector.
#include "common.h"
#include <vector>

int main()
{
    cl_context context = make_context();
    cl_command_queue queue = make_queue(context);
    cl_program program = make_program(context);
    std::vector<cl_kernel> kernels;
    for (const char *name : {"rows", "columns"})
        kernels.push_back(clCreateKernel(program, name, NULL));
    std::vector<size_t> global = {64, 32}, local(2, 8);
    for (size_t i = 0; i < kernels.size(); i++)
        // launch: kernel=columns|rows; dim=2; global=64, 32; local=8, 8
        clEnqueueNDRangeKernel(queue, kernels[i], 2, NULL, global.data(), &local[0], 0, NULL, NULL);
    return 0;
}
