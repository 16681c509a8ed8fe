// A size is doubled until it is large enough.
#include "common.h"

int main(void)
{
    cl_context context = make_context();
    cl_command_queue queue = make_queue(context);
    cl_program program = make_program(context);
    cl_kernel kernel = clCreateKernel(program, "scale", NULL);
    size_t global = 1, local = 16;
    do {
        global *= 2;
    } while (global < 1000);
    // launch: kernel=scale; dim=1; global=? loop; local=16
    clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, &local, 0, NULL, NULL);
    return 0;
}
