// Arrays of sizes are copied and cleared as bytes.
#include "common.h"

int main(void)
{
    cl_context context = make_context();
    cl_command_queue queue = make_queue(context);
    cl_program program = make_program(context);
    cl_kernel kernel = clCreateKernel(program, "scale", NULL);
    size_t defaults[3] = {16, 8, 4};
    size_t local[3], offset[3];
    memcpy(local, defaults, sizeof(local));
    memset(offset, 0, sizeof(offset));
    size_t global[3] = {64, 64, 64};
    // launch: kernel=scale; dim=3; global=64, 64, 64; local=16, 8, 4; offset=0, 0, 0
    clEnqueueNDRangeKernel(queue, kernel, 3, offset, global, local, 0, NULL, NULL);
    return 0;
}
