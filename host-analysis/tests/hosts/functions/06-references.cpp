// A reference parameter changes the caller's array.
#include "common.h"

static void halve(size_t (&sizes)[2])
{
    for (auto &size : sizes)
        size /= 2;
}

static void set_group(size_t &group) { group = 32; }

int main()
{
    cl_context context = make_context();
    cl_command_queue queue = make_queue(context);
    cl_program program = make_program(context);
    cl_kernel kernel = clCreateKernel(program, "scale", NULL);
    size_t global[2] = {256, 64}, local[2] = {16, 16};
    halve(global);
    set_group(local[0]);
    // launch: kernel=scale; dim=2; global=128, 32; local=32, 16
    clEnqueueNDRangeKernel(queue, kernel, 2, NULL, global, local, 0, NULL, NULL);
    return 0;
}
