// A pointer that is NULL is the local size.
#include "common.h"

int main(void)
{
    cl_context context = make_context();
    cl_command_queue queue = make_queue(context);
    cl_program program = make_program(context);
    cl_kernel kernel = clCreateKernel(program, "scale", NULL);
    size_t global = 1000;
    size_t *local = NULL;
    // launch: kernel=scale; dim=1; global=1000; local=NULL
    clEnqueueNDRangeKernel(queue, kernel, 1, 0, &global, local, 0, NULL, NULL);
    return 0;
}
