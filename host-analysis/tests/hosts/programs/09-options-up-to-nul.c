// A string of options has a NUL inside: what follows it does not count.
#include "common.h"

static const char source[] = "kernel void scale() {}\0kernel void add() {}";

int main(void)
{
    cl_context context = make_context();
    const char *texts = source;
    // program: sources="kernel void scale() {}"; kernels=scale; options=-DN=4
    cl_program program = clCreateProgramWithSource(context, 1, &texts, NULL, NULL);
    clBuildProgram(program, 0, NULL, "-DN=4\0 -DM=8", NULL, NULL);
    cl_kernel kernel = clCreateKernel(program, "scale\0add", NULL);
    size_t global = 64;
    // launch: kernel=scale; dim=1; global=64; local=NULL
    clEnqueueNDRangeKernel(make_queue(context), kernel, 1, NULL, &global, NULL, 0, NULL, NULL);
    return 0;
}
