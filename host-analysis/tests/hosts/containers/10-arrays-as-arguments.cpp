// The size of an array of the library, in numbers and as that of a kernel's argument.
#include "common.h"
#include <array>

struct Point {
    char kind;
    std::array<double, 2> at;
};

int main()
{
    cl_context context = make_context();
    cl_command_queue queue = make_queue(context);
    cl_kernel kernel = clCreateKernel(make_program(context), "k", NULL);
    std::array<float, 8> weights;
    clSetKernelArg(kernel, 0, sizeof(weights), weights.data());
    size_t global = sizeof(std::array<int, 16>) * sizeof(weights);
    size_t local = sizeof(Point);
    // launch: kernel=k; dim=1; global=2048; local=24
    clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, &local, 0, NULL, NULL);
    return 0;
}
