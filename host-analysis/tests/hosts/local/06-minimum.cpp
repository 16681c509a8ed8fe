// std::min with a device query.
#include "common.h"
#include <algorithm>

int main()
{
    cl_context context = make_context();
    cl_command_queue queue = make_queue(context);
    cl_program program = make_program(context);
    cl_kernel kernel = clCreateKernel(program, "scale", NULL);
    size_t limit = 0;
    clGetKernelWorkGroupInfo(kernel, first_device(), CL_KERNEL_WORK_GROUP_SIZE, sizeof(limit), &limit, NULL);
    size_t global = 4096, local = std::min<size_t>(limit, 128);
    // launch: kernel=scale; dim=1; global=4096; local=min(limit, 128) {max 128, input limit}
    clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, &local, 0, NULL, NULL);
    return 0;
}
