// A pointer to a handle chooses the kernel.
#include "common.h"

static cl_kernel kernel_float, kernel_double;

static cl_kernel *pick(bool precise) { return precise ? &kernel_double : &kernel_float; }

int main(int argc, char **)
{
    cl_context context = make_context();
    cl_command_queue queue = make_queue(context);
    cl_program program = make_program(context);
    kernel_float = clCreateKernel(program, "gemm_float", NULL);
    kernel_double = clCreateKernel(program, "gemm_double", NULL);
    cl_kernel *kernel = pick(argc > 1);
    size_t global = 64;
    // launch: kernel=gemm_double|gemm_float; dim=1; global=64; local=NULL
    clEnqueueNDRangeKernel(queue, *kernel, 1, NULL, &global, NULL, 0, NULL, NULL);
    return 0;
}
