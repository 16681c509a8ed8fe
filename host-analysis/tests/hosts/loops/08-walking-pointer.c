// A pointer walks over the sizes.
#include "common.h"

int main(void)
{
    cl_context context = make_context();
    cl_command_queue queue = make_queue(context);
    cl_program program = make_program(context);
    cl_kernel kernel = clCreateKernel(program, "scale", NULL);
    size_t sizes[64], *size;
    for (size = sizes; size < sizes + 64; size++)
        *size = 128;
    // launch: kernel=scale; dim=1; global=? loop; local=NULL
    clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &sizes[3], NULL, 0, NULL, NULL);
    return 0;
}
