// clEnqueueTask launches one work-item.
#include "common.h"

int main(void)
{
    cl_context context = make_context();
    cl_command_queue queue = make_queue(context);
    cl_program program = make_program(context);
    cl_kernel kernel = clCreateKernel(program, "scale", NULL);
    cl_mem memory = clCreateBuffer(context, CL_MEM_WRITE_ONLY, 64, NULL, NULL);
    clSetKernelArg(kernel, 0, sizeof memory, &memory);
    // launch: kernel=scale; dim=1; global=1; local=1; 0=main::memory; queue=unknown
    clEnqueueTask(queue, kernel, 0, NULL, NULL);
    return 0;
}
