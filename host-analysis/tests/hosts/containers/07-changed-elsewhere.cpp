// A vector is passed by reference to a function that is not given: nothing is known of it.
#include "common.h"
#include <vector>

void choose(std::vector<size_t> &sizes);

int main()
{
    cl_context context = make_context();
    cl_kernel kernel = clCreateKernel(make_program(context), "k", NULL);
    cl_command_queue queue = make_queue(context);
    std::vector<size_t> global(1, 64);
    choose(global);
    // launch: kernel=k; dim=1; global=? `choose` is not among the given files; local=NULL
    clEnqueueNDRangeKernel(queue, kernel, 1, NULL, global.data(), NULL, 0, NULL, NULL);
    return 0;
}
