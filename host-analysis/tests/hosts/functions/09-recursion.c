// A recursive function launches at each level.
#include "common.h"

static cl_command_queue queue;
static cl_kernel kernel;

static void reduce(size_t items)
{
    if (items < 2)
        return;
    // launch: kernel=reduce; dim=1; global=? recursi; local=NULL
    clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, NULL, 0, NULL, NULL);
    reduce(items / 2);
}

int main(void)
{
    cl_context context = make_context();
    queue = make_queue(context);
    kernel = clCreateKernel(make_program(context), "reduce", NULL);
    reduce(1024);
    return 0;
}
