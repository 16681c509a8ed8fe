// Lambdas compute sizes; one is called on the spot.
#include "common.h"

int main()
{
    cl_context context = make_context();
    const char *name = [] { return "chosen"; }();
    cl_kernel kernel = clCreateKernel(make_program(context), name, NULL);
    auto rounded = [](size_t n, size_t to) -> size_t { return (n + to - 1) / to * to; };
    size_t local = 32, global = rounded(100, local);
    // launch: kernel=chosen; dim=1; global=128; local=32
    clEnqueueNDRangeKernel(make_queue(context), kernel, 1, NULL, &global, &local, 0, NULL, NULL);
    return 0;
}
