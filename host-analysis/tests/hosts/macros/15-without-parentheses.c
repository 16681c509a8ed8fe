// Operations without parentheses, which bind otherwise where they are used, and statements where a value is expected.
#include "common.h"

#define SIZE 64
#define PART SIZE/4
#define MORE 2+PART
#define TWICE(x) x + x
#define MADE(call) call; \
                   if (error != CL_SUCCESS) goto failed

int main(void)
{
    cl_int error = CL_SUCCESS;
    cl_context context = make_context();
    cl_command_queue queue = make_queue(context);
    cl_program program = make_program(context);
    cl_kernel kernel = MADE(clCreateKernel(program, "scale", &error));
    size_t global = PART * 32, local = 128 / PART;
    // launch: kernel=scale; dim=1; global=512; local=0
    clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, &local, 0, NULL, NULL);
    global = 2 * MORE, local = TWICE(4) * 2;
    // launch: kernel=scale; dim=1; global=20; local=12
    clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, &local, 0, NULL, NULL);
failed:
    return error;
}
