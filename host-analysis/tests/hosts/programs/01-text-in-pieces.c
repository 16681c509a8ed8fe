// The text is an array of strings.
#include "common.h"

static const char *text[] = {
    "__kernel void scale(__global float *x)\n",
    "{ x[get_global_id(0)] *= 2.0f; }\n",
};

int main(void)
{
    cl_context context = make_context();
    cl_uint count = sizeof(text) / sizeof(text[0]);
    // program: options=; kernels=scale;
    //   sources="__kernel void scale(__global float *x)\n{ x[get_global_id(0)] *= 2.0f; }\n"
    cl_program program = clCreateProgramWithSource(context, count, text, NULL, NULL);
    clBuildProgram(program, 0, NULL, NULL, NULL, NULL);
    cl_kernel kernel = clCreateKernel(program, "scale", NULL);
    size_t global = 64;
    // launch: kernel=scale; dim=1; global=64; local=NULL
    clEnqueueNDRangeKernel(make_queue(context), kernel, 1, NULL, &global, NULL, 0, NULL, NULL);
    return 0;
}
