// The local size is limited by what the device says.
#include "common.h"

int main(void)
{
    cl_context context = make_context();
    cl_command_queue queue = make_queue(context);
    cl_program program = make_program(context);
    cl_kernel kernel = clCreateKernel(program, "scale", NULL);
    size_t limit, local;
    clGetDeviceInfo(first_device(), CL_DEVICE_MAX_WORK_GROUP_SIZE, sizeof(limit), &limit, NULL);
    local = limit < 256 ? limit : 256;
    size_t global = 1024 * local;
    // launch: kernel=scale; dim=1; local=256 or limit; global=262144 or 1024 * limit
    clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, &local, 0, NULL, NULL);
    return 0;
}
