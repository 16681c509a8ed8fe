#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>

#define N 1024
static int data[2 * N] __attribute__((aligned(4096)));
static int result[N];

int main(int argc, char **argv)
{
    size_t global = N / 4, local = 16, offset = 0, bytes = N * sizeof(int);
    cl_mem_flags flags = CL_MEM_COPY_HOST_PTR;
    if (argc > 1) {
        flags = CL_MEM_USE_HOST_PTR;
        offset = atoi(argv[1]);
    }
    cl_platform_id platform;
    cl_device_id device;
    clGetPlatformIDs(1, &platform, NULL);
    clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL);
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, NULL);
    cl_command_queue queue = clCreateCommandQueue(context, device, 0, NULL);
    static char text[4096];
    FILE *file = fopen("add.cl", "r");
    text[fread(text, 1, sizeof text - 1, file)] = 0;
    const char *texts = text;
    cl_program program = clCreateProgramWithSource(context, 1, &texts, NULL, NULL);
    clBuildProgram(program, 1, &device, "", NULL, NULL);
    cl_kernel kernel = clCreateKernel(program, "add", NULL);
    for (int i = 0; i < N; i++)
        data[offset / sizeof(int) + i] = i * 3;
    cl_mem in = clCreateBuffer(context, CL_MEM_READ_WRITE | flags, bytes, (char *)data + offset, NULL);
    cl_mem whole = clCreateBuffer(context, CL_MEM_READ_WRITE, 4096 + bytes, NULL, NULL);
    cl_buffer_region region = {ORIGIN, bytes};
    cl_mem out = clCreateSubBuffer(whole, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, NULL);
    clSetKernelArg(kernel, 0, sizeof in, &in);
    clSetKernelArg(kernel, 1, sizeof out, &out);
    cl_int error = clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, &local, 0, NULL, NULL);
    if (error == CL_SUCCESS)
        clEnqueueReadBuffer(queue, out, CL_TRUE, 0, sizeof result, result, 0, NULL, NULL);
    unsigned sum = 0;
    for (int i = 0; i < N; i++)
        sum = sum * 31 + result[i];
    printf("%d: %u\n", error, sum);
    return 0;
}
