// A bit-field keeps only some of the bits.
#include "common.h"

struct options {
    unsigned group : 4;
    unsigned verbose : 1;
};

int main(void)
{
    cl_context context = make_context();
    cl_command_queue queue = make_queue(context);
    cl_program program = make_program(context);
    cl_kernel kernel = clCreateKernel(program, "scale", NULL);
    struct options options;
    options.group = 24;
    size_t global = 64, local = options.group;
    // launch: kernel=scale; dim=1; global=64; local=? bit-field
    clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, &local, 0, NULL, NULL);
    return 0;
}
