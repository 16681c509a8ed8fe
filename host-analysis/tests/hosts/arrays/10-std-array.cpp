// Sizes lie in std::array, and come out of new[].
#include "common.h"
#include <array>

int main()
{
    cl_context context = make_context();
    cl_command_queue queue = make_queue(context);
    cl_program program = make_program(context);
    cl_kernel kernel = clCreateKernel(program, "scale", NULL);
    std::array<size_t, 2> global = {{96, 48}};
    size_t *local = new size_t[2];
    local[0] = 16;
    local[1] = local[0] / 2;
    // launch: kernel=scale; dim=2; global=96, 48; local=16, 8
    clEnqueueNDRangeKernel(queue, kernel, 2, NULL, global.data(), local, 0, NULL, NULL);
    delete[] local;
    return 0;
}
