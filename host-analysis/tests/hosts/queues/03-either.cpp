// One of two queues, of different orders.
#include "common.h"

int main(int argc, char **)
{
    cl_context context = make_context();
    cl_command_queue queues[2];
    for (int i = 0; i < 2; i++)
        queues[i] = clCreateCommandQueue(context, first_device(), i, NULL);
    cl_kernel kernel = clCreateKernel(make_program(context), "scale", NULL);
    size_t global = 64;
    // launch: kernel=scale; dim=1; global=64; local=NULL; queue=unknown
    clEnqueueNDRangeKernel(queues[argc % 2], kernel, 1, NULL, &global, NULL, 0, NULL, NULL);
    return 0;
}
