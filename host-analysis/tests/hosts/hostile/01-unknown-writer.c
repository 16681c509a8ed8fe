// A function that is not given writes through the address of a size.
#include "common.h"

void tune(size_t *global, size_t *local);

int main(void)
{
    cl_context context = make_context();
    cl_command_queue queue = make_queue(context);
    cl_program program = make_program(context);
    cl_kernel kernel = clCreateKernel(program, "scale", NULL);
    size_t global = 1024, local = 64;
    tune(&global, &local);
    // launch: kernel=scale; dim=1; global=global {input global}; local=local {input local}
    clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, &local, 0, NULL, NULL);
    return 0;
}
