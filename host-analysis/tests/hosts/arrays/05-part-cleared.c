// Only a part of an array is cleared, and a part of it copied.
#include "common.h"

int main(void)
{
    cl_context context = make_context();
    cl_command_queue queue = make_queue(context);
    cl_program program = make_program(context);
    cl_kernel kernel = clCreateKernel(program, "scale", NULL);
    size_t global[2] = {64, 32}, other[2] = {16, 8};
    memset(global, 0, sizeof(size_t));
    // launch: kernel=scale; dim=1; local=NULL; global=? memset
    clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global[1], NULL, 0, NULL, NULL);
    memcpy(global, other, sizeof(size_t));
    // launch: kernel=scale; dim=1; local=NULL; global=? memcpy
    clEnqueueNDRangeKernel(queue, kernel, 1, NULL, global + 1, NULL, 0, NULL, NULL);
    return 0;
}
