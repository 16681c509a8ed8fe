// nullptr is the default argument of a function that launches.
#include "common.h"

static void run(cl_command_queue queue, cl_kernel kernel, size_t items, const size_t *local = nullptr)
{
    // launch: kernel=scale; dim=1; global=500; local=NULL
    clEnqueueNDRangeKernel(queue, kernel, 1, nullptr, &items, local, 0, nullptr, nullptr);
}

int main()
{
    cl_context context = make_context();
    cl_command_queue queue = make_queue(context);
    cl_program program = make_program(context);
    cl_kernel kernel = clCreateKernel(program, "scale", NULL);
    run(queue, kernel, 500);
    return 0;
}
