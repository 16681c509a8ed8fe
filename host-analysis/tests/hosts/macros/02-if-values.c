// #if chooses by comparing values that the command line gives.
// flags: -DMODE=2 -DTUNED
#include "common.h"

#if MODE == 1
static const size_t width = 32;
#elif MODE == 2 && defined(TUNED)
static const size_t width = 128;
#else
#error "no such mode"
#endif

#ifndef WG
#define WG 64
#endif

int main(void)
{
    cl_context context = make_context();
    cl_command_queue queue = make_queue(context);
    cl_program program = make_program(context);
    cl_kernel kernel = clCreateKernel(program, "scale", NULL);
    size_t global = width * WG, local = WG;
    // launch: kernel=scale; dim=1; global=8192; local=64
    clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, &local, 0, NULL, NULL);
    return 0;
}
