// Whether the local size is NULL depends on the input.
#include "common.h"

int main(int argc, char **argv)
{
    cl_context context = make_context();
    cl_command_queue queue = make_queue(context);
    cl_program program = make_program(context);
    cl_kernel kernel = clCreateKernel(program, "scale", NULL);
    size_t global = 1000, local = 100;
    // launch: kernel=scale; dim=1; global=1000; local=? NULL
    clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, argc > 1 ? &local : NULL, 0, NULL, NULL);
    return 0;
}
