// Options are put together with sprintf and strcat.
#include "common.h"

#define TILE 16

int main(void)
{
    cl_context context = make_context();
    char options[128] = "-I include";
    const char *source = "kernel void scale() {}";
    int length = strlen(options);
    sprintf(options + length, " -DTILE=%d -DTYPE=%s", TILE, "float");
    strcat(options, " -cl-fast-relaxed-math");
    // program: sources="kernel void scale() {}"; kernels=scale;
    //   options=-I include -DTILE=16 -DTYPE=float -cl-fast-relaxed-math
    cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, NULL);
    clBuildProgram(program, 0, NULL, options, NULL, NULL);
    cl_kernel kernel = clCreateKernel(program, "scale", NULL);
    size_t global = 64;
    // launch: kernel=scale; dim=1; global=64; local=NULL
    clEnqueueNDRangeKernel(make_queue(context), kernel, 1, NULL, &global, NULL, 0, NULL, NULL);
    return 0;
}
