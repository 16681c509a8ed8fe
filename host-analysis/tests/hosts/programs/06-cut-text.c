// memcpy cuts a text: what is built is not what stands in the host.
#include "common.h"

int main(void)
{
    cl_context context = make_context();
    char options[32] = "";
    const char *source = "kernel void f() {}";
    memcpy(options, "-DA -DB", 3);
    // program: sources="kernel void f() {}"; options=?
    cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, NULL);
    clBuildProgram(program, 0, NULL, options, NULL, NULL);
    cl_kernel kernel = clCreateKernel(program, "f", NULL);
    size_t global = 64;
    // launch: kernel=f; dim=1; global=64; local=NULL
    clEnqueueNDRangeKernel(make_queue(context), kernel, 1, NULL, &global, NULL, 0, NULL, NULL);
    return 0;
}
