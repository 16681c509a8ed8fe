// Pointers into one array of sizes are global and local size.
#include "common.h"

int main(void)
{
    cl_context context = make_context();
    cl_command_queue queue = make_queue(context);
    cl_program program = make_program(context);
    cl_kernel kernel = clCreateKernel(program, "scale", NULL);
    size_t sizes[4] = {128, 64, 16, 8};
    size_t *global = sizes;
    size_t *local = global + 2;
    local[1] = *(local + 1) / 2;
    // launch: kernel=scale; dim=2; global=128, 64; local=16, 4
    clEnqueueNDRangeKernel(queue, kernel, 2, NULL, global, local, 0, NULL, NULL);
    return 0;
}
