/* past: a shared library that was linked without the runtime. */
#define CL_TARGET_OPENCL_VERSION 120
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <CL/cl.h>

void past_set(cl_kernel kernel, cl_mem out, int n)
{
    clSetKernelArg(kernel, 0, sizeof out, &out);
    clSetKernelArg(kernel, 1, sizeof n, &n);
}

cl_int past_range(cl_command_queue queue, cl_kernel kernel, size_t global)
{
    cl_int error =
        clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, NULL, 0, NULL, NULL);
    clFinish(queue);
    return error;
}

cl_int past_task(cl_command_queue queue, cl_kernel kernel)
{
    cl_int error = clEnqueueTask(queue, kernel, 0, NULL, NULL);
    clFinish(queue);
    return error;
}
