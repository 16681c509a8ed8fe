// Kernels lie in an array, their names in a table.
#include "common.h"

static const char *names[] = {"init", "step", "sum"};

int main(void)
{
    cl_context context = make_context();
    cl_command_queue queue = make_queue(context);
    cl_program program = make_program(context);
    cl_kernel kernels[3];
    size_t global = 64;
    for (int i = 0; i < 3; i++)
        kernels[i] = clCreateKernel(program, names[i], NULL);
    // launch: kernel=init; dim=1; global=64; local=NULL
    clEnqueueNDRangeKernel(queue, kernels[0], 1, NULL, &global, NULL, 0, NULL, NULL);
    // launch: kernel=sum; dim=1; global=64; local=NULL
    clEnqueueNDRangeKernel(queue, kernels[2], 1, NULL, &global, NULL, 0, NULL, NULL);
    return 0;
}
