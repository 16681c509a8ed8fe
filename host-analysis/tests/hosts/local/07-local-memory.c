// Local memory is as large as the group, in bytes.
#include "common.h"

#define GROUP 64

int main(int argc, char **argv)
{
    cl_context context = make_context();
    cl_command_queue queue = make_queue(context);
    cl_program program = make_program(context);
    cl_kernel kernel = clCreateKernel(program, "scale", NULL);
    int channels = atoi(argv[1]);
    size_t global = 1024, local = GROUP;
    clSetKernelArg(kernel, 0, local * sizeof(cl_float4), NULL);
    clSetKernelArg(kernel, 1, channels * sizeof(float), 0);
    // launch: kernel=scale; dim=1; global=1024; local=64; 0=local 1024;
    //   1=local channels * 4 {multiple_of 4, input channels}
    clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, &local, 0, NULL, NULL);
    return 0;
}
