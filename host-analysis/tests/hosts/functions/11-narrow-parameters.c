// Parameters and results convert what they get.
#include "common.h"

static unsigned char low_byte(int value) { return value; }

static void run(cl_command_queue queue, cl_kernel kernel, short items)
{
    size_t global = items, local = low_byte(260);
    // launch: kernel=scale; dim=1; global=16; local=4
    clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, &local, 0, NULL, NULL);
}

int main(void)
{
    cl_context context = make_context();
    cl_command_queue queue = make_queue(context);
    cl_program program = make_program(context);
    cl_kernel kernel = clCreateKernel(program, "scale", NULL);
    run(queue, kernel, 65552);
    return 0;
}
