// A two-dimensional array is written through a flat pointer.
#include "common.h"

int main(void)
{
    cl_context context = make_context();
    cl_command_queue queue = make_queue(context);
    cl_program program = make_program(context);
    cl_kernel kernel = clCreateKernel(program, "scale", NULL);
    size_t sizes[2][2] = {{64, 64}, {16, 16}};
    size_t *flat = &sizes[0][0];
    flat[2] = 8;
    // launch: kernel=scale; dim=2; global=?, ?; local=?, ?
    clEnqueueNDRangeKernel(queue, kernel, 2, NULL, sizes[0], sizes[1], 0, NULL, NULL);
    return 0;
}
