
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stdio.h>
static int launches;
static cl_int counted(cl_command_queue q, cl_kernel k, cl_uint d, const size_t *o, const size_t *g, const size_t *l,
                      cl_uint n, const cl_event *w, cl_event *e) {
    launches++;
    return clEnqueueNDRangeKernel(q, k, d, o, g, l, n, w, e);
}
#include "counted.h"
int main(void) {
    const char *text = "__kernel void k(__global int *a) { a[get_global_id(0)] = 7; }";
    cl_platform_id platform;
    cl_device_id device;
    cl_int error;
    clGetPlatformIDs(1, &platform, NULL);
    clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL);
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &error);
    cl_command_queue queue = clCreateCommandQueue(context, device, 0, &error);
    cl_program program = clCreateProgramWithSource(context, 1, &text, NULL, &error);
    clBuildProgram(program, 0, NULL, NULL, NULL, NULL);
    cl_kernel kernel = clCreateKernel(program, "k", &error);
    cl_mem buffer = clCreateBuffer(context, CL_MEM_READ_WRITE, 64, NULL, &error);
    clSetKernelArg(kernel, 0, sizeof buffer, &buffer);
    size_t global = 16;
    error = clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, NULL, 0, NULL, NULL);
    clFinish(queue);
    printf("%d, %d launches\n", (int)error, launches);
    return 0;
}
