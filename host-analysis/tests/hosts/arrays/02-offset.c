// The launch covers the inside of a grid.
#include "common.h"

#define N 256
#define HALO 1

int main(void)
{
    cl_context context = make_context();
    cl_command_queue queue = make_queue(context);
    cl_program program = make_program(context);
    cl_kernel kernel = clCreateKernel(program, "scale", NULL);
    const size_t offset[] = {HALO, HALO};
    const size_t global[] = {N - 2 * HALO, N - 2 * HALO};
    // launch: kernel=scale; dim=2; global=254, 254; local=NULL; offset=1, 1
    clEnqueueNDRangeKernel(queue, kernel, 2, offset, global, NULL, 0, NULL, NULL);
    return 0;
}
