// A kernel is created of a program that is not followed: it may be one of any program.
#include "common.h"

cl_program pick(cl_program one, cl_program other);

int main(void)
{
    cl_context context = make_context();
    const char *text = "kernel void a() {} kernel void b() {}";
    // program: kernels=a, ? a kernel is created of a program that is not followed
    cl_program program = clCreateProgramWithSource(context, 1, &text, NULL, NULL);
    cl_kernel a = clCreateKernel(program, "a", NULL);
    cl_kernel b = clCreateKernel(pick(program, NULL), "b", NULL);
    cl_command_queue queue = make_queue(context);
    size_t global = a == b ? 64 : 64;
    // launch: kernel=b; dim=1; global=64; local=NULL
    clEnqueueNDRangeKernel(queue, b, 1, NULL, &global, NULL, 0, NULL, NULL);
    return 0;
}
