// Ranges of elements in an initialiser.
#include "common.h"

static const size_t sizes[16] = {[0 ... 3] = 64, 128, [8 ... 9] = 32};
static const size_t many[100000] = {[0 ... 99999] = 64, [7] = 128};

int main(void)
{
    cl_context context = make_context();
    cl_command_queue queue = make_queue(context);
    cl_program program = make_program(context);
    cl_kernel kernel = clCreateKernel(program, "scale", NULL);
    // launch: kernel=scale; dim=1; global=64; local=128
    clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &sizes[3], &sizes[4], 0, NULL, NULL);
    // launch: kernel=scale; dim=1; global=0; local=32
    clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &sizes[5], &sizes[9], 0, NULL, NULL);
    // launch: kernel=scale; dim=1; global=128; local=? a long initialiser
    clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &many[7], &many[8], 0, NULL, NULL);
    return 0;
}
