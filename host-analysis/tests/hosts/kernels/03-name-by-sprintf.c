// A name is put together.
#include "common.h"

#define STAGES 2

int main(void)
{
    cl_context context = make_context();
    cl_command_queue queue = make_queue(context);
    cl_program program = make_program(context);
    char name[32];
    size_t global = 128;
    snprintf(name, sizeof(name), "fft_%s_%02d", "radix", 4 * STAGES);
    cl_kernel kernel = clCreateKernel(program, name, NULL);
    // launch: kernel=fft_radix_08; dim=1; global=128; local=NULL
    clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, NULL, 0, NULL, NULL);
    return 0;
}
