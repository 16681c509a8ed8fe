// A backward jump is a loop.
#include "common.h"

int main(void)
{
    cl_context context = make_context();
    cl_command_queue queue = make_queue(context);
    cl_program program = make_program(context);
    cl_kernel kernel = clCreateKernel(program, "scale", NULL);
    size_t global = 1;
again:
    // launch: kernel=? backward goto; dim=1; global=? backward goto; local=NULL
    clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, NULL, 0, NULL, NULL);
    global *= 2;
    if (global < 64)
        goto again;
    return 0;
}
