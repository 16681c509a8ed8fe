// A lambda goes to a template that takes anything by reference, by its name or where it is written.
#include "common.h"

template <typename F> double timed(F &&work)
{
    work();
    return 1.0;
}

int main()
{
    cl_context context = make_context();
    cl_command_queue queue = make_queue(context);
    cl_kernel kernel = clCreateKernel(make_program(context), "k", NULL);
    size_t global = 64;
    auto launch = [&](size_t factor) {
        size_t size = global * factor;
        // launch: kernel=k; dim=1; global=128; local=NULL
        clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &size, NULL, 0, NULL, NULL);
    };
    double all = timed([&] { launch(2); });
    auto named = [&] {
        // launch: kernel=k; dim=1; global=64; local=NULL
        clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, NULL, 0, NULL, NULL);
    };
    return all + timed(named) > 3;
}
