// Sizes lie in vectors: given as a list, filled, and resized.
#include "common.h"
#include <vector>

int main()
{
    cl_context context = make_context();
    cl_kernel kernel = clCreateKernel(make_program(context), "k", NULL);
    cl_command_queue queue = make_queue(context);
    std::vector<size_t> global = {128, 64};
    std::vector<size_t> local(2, 8);
    // launch: kernel=k; dim=2; global=128, 64; local=8, 8
    clEnqueueNDRangeKernel(queue, kernel, global.size(), NULL, global.data(), &local[0], 0, NULL, NULL);
    local.resize(3);
    local.at(2) = 4;
    global.emplace_back(4 * local.back());
    // launch: kernel=k; dim=3; global=128, 64, 16; local=8, 8, 4
    clEnqueueNDRangeKernel(queue, kernel, global.size(), NULL, global.data(), local.data(), 0, NULL, NULL);
    return 0;
}
