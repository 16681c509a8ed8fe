// Only the innermost loop is told of.
#include "common.h"

int main(int argc, char **)
{
    cl_context context = make_context();
    cl_command_queue queue = make_queue(context);
    cl_program program = make_program(context);
    cl_kernel kernel = clCreateKernel(program, "scale", NULL);
    for (int i = 0; i < argc; i++) {
        clSetKernelArg(kernel, 0, sizeof(i), &i);
        for (int j = 0; j < argc; j++) {
            clSetKernelArg(kernel, 1, sizeof(j), &j);
            size_t global = 64;
            // launch: kernel=scale; dim=1; global=64; local=NULL; 0=i; 1=j; changes=argument 1
            clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, NULL, 0, NULL, NULL);
        }
    }
    return 0;
}
