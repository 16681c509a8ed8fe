// A list of properties, and none.
#include "common.h"

int main(void)
{
    cl_context context = make_context();
    const cl_queue_properties list[] = {CL_QUEUE_PROPERTIES, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, 0};
    cl_command_queue free = clCreateCommandQueueWithProperties(context, first_device(), list, NULL);
    cl_command_queue plain = clCreateCommandQueueWithProperties(context, first_device(), NULL, NULL);
    cl_kernel kernel = clCreateKernel(make_program(context), "scale", NULL);
    size_t global = 64;
    // launch: kernel=scale; dim=1; global=64; local=NULL; queue=out_of_order
    clEnqueueNDRangeKernel(free, kernel, 1, NULL, &global, NULL, 0, NULL, NULL);
    // launch: kernel=scale; dim=1; global=64; local=NULL; queue=in_order
    clEnqueueNDRangeKernel(plain, kernel, 1, NULL, &global, NULL, 0, NULL, NULL);
    return 0;
}
