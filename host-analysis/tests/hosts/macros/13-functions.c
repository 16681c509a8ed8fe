// Macros define functions.
#include "common.h"

static cl_command_queue queue;
static void run(cl_kernel kernel, size_t local)
{
    size_t global = 1024;
    // launch: kernel=scale; dim=1; global=1024; local=8 or 64
    clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, &local, 0, NULL, NULL);
}

#define DEFINE(name, size) \
    static size_t name##_size(void) { return size; } \
    static void name##_run(cl_kernel kernel) { run(kernel, name##_size()); }
DEFINE(small, 8)
DEFINE(large, 64);

int main(void)
{
    cl_context context = make_context();
    queue = make_queue(context);
    cl_kernel kernel = clCreateKernel(make_program(context), "scale", NULL);
    small_run(kernel);
    large_run(kernel);
    return 0;
}
