// A macro is defined anew between two launches.
#include "common.h"

#define ITEMS 64

int main()
{
    cl_context context = make_context();
    cl_command_queue queue = make_queue(context);
    cl_program program = make_program(context);
    cl_kernel kernel = clCreateKernel(program, "scale", NULL);
    size_t global = ITEMS;
    // launch: kernel=scale; dim=1; global=64; local=NULL
    clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, NULL, 0, NULL, NULL);
#undef ITEMS
#define ITEMS 96
    global = ITEMS;
    // launch: kernel=scale; dim=1; global=96; local=NULL
    clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, NULL, 0, NULL, NULL);
    return 0;
}
