// Comparisons and differences of signed and unsigned numbers.
#include "common.h"

int main(void)
{
    cl_context context = make_context();
    cl_command_queue queue = make_queue(context);
    cl_program program = make_program(context);
    cl_kernel kernel = clCreateKernel(program, "scale", NULL);
    int negative = -1;
    unsigned one = 1, two = 2;
    size_t global = negative < one ? 16 : 64;
    size_t local = (one - two) >> 28;
    // launch: kernel=scale; dim=1; global=64; local=15
    clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, &local, 0, NULL, NULL);
    return 0;
}
