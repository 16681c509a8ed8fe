// A function counts its calls.
#include "common.h"

static size_t next_size(void)
{
    static size_t size = 32;
    size *= 2;
    return size;
}

int main(void)
{
    cl_context context = make_context();
    cl_command_queue queue = make_queue(context);
    cl_program program = make_program(context);
    cl_kernel kernel = clCreateKernel(program, "scale", NULL);
    size_t global = next_size();
    // launch: kernel=scale; dim=1; global=64; local=NULL
    clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, NULL, 0, NULL, NULL);
    global = next_size();
    // launch: kernel=scale; dim=1; global=128; local=NULL
    clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, NULL, 0, NULL, NULL);
    return 0;
}
