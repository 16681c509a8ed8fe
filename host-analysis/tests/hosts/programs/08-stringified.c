// Kernels stand in the argument of a macro that makes a string of it; so does a number.
#include "common.h"

#define SOURCE(...) #__VA_ARGS__
#define STRING_(x) #x
#define STRING(x) STRING_(x)
#define WIDTH 16

static const char *text = SOURCE(
    __kernel void scale(__global float *x, int n)
    {
        int i = get_global_id(0);
        if (i < n)
            x[i]  *= 2; // twice
    }
);

int main(void)
{
    cl_context context = make_context();
    cl_command_queue queue = make_queue(context);
    // program: options=-DW=16; kernels=scale;
    //   sources="__kernel void scale(__global float *x, int n) { int i = get_global_id(0); if (i < n) x[i] *= 2; }"
    cl_program program = clCreateProgramWithSource(context, 1, &text, NULL, NULL);
    clBuildProgram(program, 0, NULL, "-DW=" STRING(WIDTH), NULL, NULL);
    cl_kernel kernel = clCreateKernel(program, "scale", NULL);
    size_t global = 1024, local = WIDTH;
    // launch: kernel=scale; dim=1; global=1024; local=16
    clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, &local, 0, NULL, NULL);
    return 0;
}
