#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>

int main(void)
{
    cl_platform_id platform;
    cl_device_id device;
    cl_int error, values[16] = {0};
    clGetPlatformIDs(1, &platform, NULL);
    clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL);
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, NULL);
    cl_command_queue queue = clCreateCommandQueue(context, device, 0, NULL);
    static unsigned char bytes[1 << 22];
    const unsigned char *binary = bytes;
    FILE *file = fopen("k.aocx", "rb");
    size_t size = fread(bytes, 1, sizeof bytes, file), global = 16;
    cl_program program =
        clCreateProgramWithBinary(context, 1, &device, &size, &binary, NULL, &error);
    clBuildProgram(program, 1, &device, "", NULL, NULL);
    cl_kernel kernel = clCreateKernel(program, "fill", NULL);
    cl_mem out = clCreateBuffer(context, CL_MEM_READ_WRITE, sizeof values, NULL, NULL);
    clSetKernelArg(kernel, 0, sizeof out, &out);
    error = clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, NULL, 0, NULL, NULL);
    clEnqueueReadBuffer(queue, out, CL_TRUE, 0, sizeof values, values, 0, NULL, NULL);
    printf("%d: %d %d\n", error, values[0], values[15]);
    return 0;
}
