// A lambda launches, and captures what it needs.
#include "common.h"

int main()
{
    cl_context context = make_context();
    cl_command_queue queue = make_queue(context);
    cl_program program = make_program(context);
    cl_kernel kernel = clCreateKernel(program, "scale", NULL);
    const size_t local = 32;
    auto run = [&](size_t items) {
        size_t global = (items + local - 1) / local * local;
        // launch: kernel=scale; dim=1; global=128; local=32
        return clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, &local, 0, NULL, NULL);
    };
    return run(100);
}
