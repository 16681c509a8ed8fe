// Two parts of one buffer.
#include "common.h"

#define HALF 4096

int main(void)
{
    cl_context context = make_context();
    cl_command_queue queue = make_queue(context);
    cl_program program = make_program(context);
    cl_kernel kernel = clCreateKernel(program, "scale", NULL);
    cl_mem whole = clCreateBuffer(context, CL_MEM_READ_WRITE, 2 * HALF, NULL, NULL);
    cl_buffer_region region = {0, HALF};
    // buffer: name=main::low; parent=main::whole; origin=0; size=4096
    cl_mem low = clCreateSubBuffer(whole, CL_MEM_READ_ONLY, CL_BUFFER_CREATE_TYPE_REGION, &region, NULL);
    region.origin += HALF;
    // buffer: name=main::high; parent=main::whole; origin=4096; size=4096
    cl_mem high = clCreateSubBuffer(whole, CL_MEM_WRITE_ONLY, CL_BUFFER_CREATE_TYPE_REGION, &region, NULL);
    clSetKernelArg(kernel, 0, sizeof(cl_mem), &low);
    clSetKernelArg(kernel, 1, sizeof(cl_mem), &high);
    size_t global = HALF / sizeof(float);
    // launch: kernel=scale; dim=1; global=1024; local=NULL; 0=main::low; 1=main::high
    clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, NULL, 0, NULL, NULL);
    return 0;
}
