// The members of OpenCL's vectors are names of the same bytes.
#include "common.h"

int main(void)
{
    cl_context context = make_context();
    cl_command_queue queue = make_queue(context);
    cl_kernel kernel = clCreateKernel(make_program(context), "k", NULL);
    size_t local = 64;
    cl_float4 f;
    f.x = 8;
    f.s[0] = 16;
    size_t global = (size_t)f.x;
    // launch: kernel=k; dim=1; global=? share their bytes; local=64
    clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, &local, 0, NULL, NULL);
    cl_uint2 u = { { 3, 5 } };
    u.s1 = 7;
    size_t sizes[2] = { u.s[0], u.y };
    // launch: kernel=k; dim=2; global=? share their bytes, ? share their bytes; local=NULL
    clEnqueueNDRangeKernel(queue, kernel, 2, NULL, sizes, NULL, 0, NULL, NULL);
    return 0;
}
