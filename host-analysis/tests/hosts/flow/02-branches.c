// Which size it is depends on the input.
#include "common.h"

int main(int argc, char **argv)
{
    cl_context context = make_context();
    cl_command_queue queue = make_queue(context);
    cl_program program = make_program(context);
    cl_kernel kernel = clCreateKernel(program, "scale", NULL);
    size_t global = 1024, local;
    if (argc > 2)
        local = 128;
    else if (argc > 1)
        local = 64;
    else
        local = 32;
    // launch: kernel=scale; dim=1; global=1024; local=32 or 64 or 128
    clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, &local, 0, NULL, NULL);
    return 0;
}
