/* What hosts of texts that they compose share: they print what a kernel `k` of a text gives. */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static cl_context context;
static cl_device_id device;
static cl_command_queue queue;

static void start(void)
{
    cl_platform_id platform;
    clGetPlatformIDs(1, &platform, NULL);
    clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL);
    context = clCreateContext(NULL, 1, &device, NULL, NULL, NULL);
    queue = clCreateCommandQueue(context, device, 0, NULL);
}

static void finish(cl_program program, size_t local)
{
    cl_int error = clBuildProgram(program, 1, &device, "", NULL, NULL);
    if (error != CL_SUCCESS) {
        printf("not built: %d\n", (int)error);
        return;
    }
    cl_kernel kernel = clCreateKernel(program, "k", NULL);
    int found[16] = {0};
    cl_mem memory = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, sizeof found, found, NULL);
    clSetKernelArg(kernel, 0, sizeof memory, &memory);
    size_t items = 16;
    error = clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, local ? &local : NULL, 0, NULL, NULL);
    clEnqueueReadBuffer(queue, memory, CL_TRUE, 0, sizeof found, found, 0, NULL, NULL);
    printf("%d: %d %d %d\n", (int)error, found[1], found[7], found[15]);
}
