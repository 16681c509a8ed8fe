// Two programs, whose options differ, have kernels of one name.
#include "common.h"

static cl_program build(cl_context context, const char *text, const char *options)
{
    // program: sources="kernel void f() {}"; options=-DA; kernels=f
    cl_program program = clCreateProgramWithSource(context, 1, &text, NULL, NULL);
    clBuildProgram(program, 0, NULL, options, NULL, NULL);
    return program;
}

int main()
{
    cl_context context = make_context();
    cl_command_queue queue = make_queue(context);
    cl_kernel one = clCreateKernel(build(context, "kernel void f() {}", "-DA"), "f", NULL);
    cl_kernel two = clCreateKernel(build(context, "kernel void g() {}", "-DB"), "g", NULL);
    size_t global = 64;
    // launch: kernel=f; dim=1; global=64; local=NULL
    clEnqueueNDRangeKernel(queue, one, 1, NULL, &global, NULL, 0, NULL, NULL);
    // launch: kernel=g; dim=1; global=64; local=NULL
    clEnqueueNDRangeKernel(queue, two, 1, NULL, &global, NULL, 0, NULL, NULL);
    return 0;
}
