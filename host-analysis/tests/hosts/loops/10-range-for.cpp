// A range-based loop over sizes and kernels.
#include "common.h"

int main()
{
    cl_context context = make_context();
    cl_command_queue queue = make_queue(context);
    cl_program program = make_program(context);
    cl_kernel kernels[] = {clCreateKernel(program, "rows", NULL), clCreateKernel(program, "columns", NULL)};
    const size_t global[2] = {128, 64};
    for (cl_kernel kernel : kernels) {
        // launch: kernel=columns|rows; dim=2; global=128, 64; local=NULL
        clEnqueueNDRangeKernel(queue, kernel, 2, NULL, global, NULL, 0, NULL, NULL);
    }
    return 0;
}
