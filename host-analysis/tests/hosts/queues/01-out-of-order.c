// Properties in a variable.
#include "common.h"

int main(void)
{
    cl_context context = make_context();
    cl_command_queue_properties properties = CL_QUEUE_PROFILING_ENABLE;
    cl_command_queue plain = clCreateCommandQueue(context, first_device(), properties, NULL);
    properties |= CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE;
    cl_command_queue free = clCreateCommandQueue(context, first_device(), properties, NULL);
    cl_kernel kernel = clCreateKernel(make_program(context), "scale", NULL);
    size_t global = 64;
    // launch: kernel=scale; dim=1; global=64; local=NULL; queue=in_order
    clEnqueueNDRangeKernel(plain, kernel, 1, NULL, &global, NULL, 0, NULL, NULL);
    // launch: kernel=scale; dim=1; global=64; local=NULL; queue=out_of_order
    clEnqueueNDRangeKernel(free, kernel, 1, NULL, &global, NULL, 0, NULL, NULL);
    return 0;
}
