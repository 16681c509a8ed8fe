// Flags are put together in a variable.
#include "common.h"

int main(void)
{
    cl_context context = make_context();
    cl_mem_flags flags = CL_MEM_READ_ONLY;
    float data[256] = {0};
    flags |= CL_MEM_COPY_HOST_PTR;
    // buffer: name=main::in; flags=READ_ONLY|COPY_HOST_PTR; size=1024; parent=none
    cl_mem in = clCreateBuffer(context, flags, sizeof(data), data, NULL);
    cl_kernel kernel = clCreateKernel(make_program(context), "scale", NULL);
    clSetKernelArg(kernel, 0, sizeof(in), &in);
    size_t global = 256;
    // launch: kernel=scale; dim=1; global=256; local=NULL; 0=main::in
    clEnqueueNDRangeKernel(make_queue(context), kernel, 1, NULL, &global, NULL, 0, NULL, NULL);
    return 0;
}
