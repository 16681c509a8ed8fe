// A struct is passed by value, and an argument is not set on all paths.
#include "common.h"

struct params {
    int width, height;
};

int main(int argc, char **argv)
{
    cl_context context = make_context();
    cl_command_queue queue = make_queue(context);
    cl_program program = make_program(context);
    cl_kernel kernel = clCreateKernel(program, "scale", NULL);
    struct params params = {8, 8};
    float factor = 0.5f;
    clSetKernelArg(kernel, 0, sizeof(params), &params);
    clSetKernelArg(kernel, 1, sizeof(factor), &factor);
    size_t global = 64;
    // launch: kernel=scale; dim=1; global=64; local=NULL; 0=? by value; 1=0.5f
    clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, NULL, 0, NULL, NULL);
    return 0;
}
