// A lambda is passed to a function of the library; what it counts is not known behind it.
#include "common.h"
#include <algorithm>
#include <vector>

int main()
{
    cl_context context = make_context();
    cl_kernel kernel = clCreateKernel(make_program(context), "k", NULL);
    cl_command_queue queue = make_queue(context);
    std::vector<int> items(5);
    size_t global = 0;
    std::for_each(items.begin(), items.end(), [&](int) {
        global += 16;
        size_t one = 1;
        // launch: kernel=k; dim=1; global=1; local=NULL
        clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &one, NULL, 0, NULL, NULL);
    });
    size_t local = 16;
    // launch: kernel=k; dim=1; global=global or global + 16; local=16
    clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, &local, 0, NULL, NULL);
    return 0;
}
