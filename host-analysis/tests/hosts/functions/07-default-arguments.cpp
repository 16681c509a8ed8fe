// Default arguments, and overloads by their number.
#include "common.h"

static size_t groups(size_t items, size_t group = 64) { return (items + group - 1) / group; }
static void run(cl_command_queue queue, cl_kernel kernel, size_t count, size_t group = 64);

int main()
{
    cl_context context = make_context();
    cl_command_queue queue = make_queue(context);
    cl_program program = make_program(context);
    cl_kernel kernel = clCreateKernel(program, "scale", NULL);
    run(queue, kernel, groups(1000));
    return 0;
}

static void run(cl_command_queue queue, cl_kernel kernel, size_t count, size_t group)
{
    size_t global = count * group;
    // launch: kernel=scale; dim=1; global=1024; local=64
    clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, &group, 0, NULL, NULL);
}
