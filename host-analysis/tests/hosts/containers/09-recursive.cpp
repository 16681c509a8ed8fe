// A recursive function that cannot change the kernel's handle launches it.
#include "common.h"

static cl_kernel kernel;
static cl_command_queue queue;
static int calls;

static void halve(size_t n)
{
    calls++;
    // launch: kernel=half; dim=1; global=? it differs from call to call; local=NULL
    clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &n, NULL, 0, NULL, NULL);
    if (n > 1)
        halve(n / 2);
}

int main()
{
    cl_context context = make_context();
    kernel = clCreateKernel(make_program(context), "half", NULL);
    queue = make_queue(context);
    halve(64);
    size_t global = 16;
    // launch: kernel=half; dim=1; global=16; local=NULL
    clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, NULL, 0, NULL, NULL);
    return 0;
}
