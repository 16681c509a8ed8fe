#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>

#define N 4096
int main(int argc, char **argv)
{
    static int data[1 << 16], result[N];
    size_t global = N, local = 64, size = 64 * sizeof(int);
    cl_mem_flags flags = CL_MEM_READ_ONLY;
    if (argc > 1)
        size = atoi(argv[1]) * sizeof(int);
    if (argc > 2)
        flags = CL_MEM_READ_WRITE;
    cl_platform_id platform;
    cl_device_id device;
    clGetPlatformIDs(1, &platform, NULL);
    clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL);
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, NULL);
    cl_command_queue queue = clCreateCommandQueue(context, device, 0, NULL);
    static char text[4096];
    FILE *file = fopen("look.cl", "r");
    text[fread(text, 1, sizeof text - 1, file)] = 0;
    const char *texts = text;
    cl_program program = clCreateProgramWithSource(context, 1, &texts, NULL, NULL);
    clBuildProgram(program, 1, &device, "", NULL, NULL);
    cl_kernel kernel = clCreateKernel(program, "look", NULL);
    for (int i = 0; i < 1 << 16; i++)
        data[i] = i * 2654435761u >> 7;
    cl_mem table = clCreateBuffer(context, flags | CL_MEM_COPY_HOST_PTR, size, data, NULL);
    cl_mem in = clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, N * sizeof(int), data, NULL);
    cl_mem out = clCreateBuffer(context, CL_MEM_READ_WRITE, N * sizeof(int), NULL, NULL);
    clSetKernelArg(kernel, 0, sizeof table, &table);
    clSetKernelArg(kernel, 1, sizeof in, &in);
    clSetKernelArg(kernel, 2, sizeof out, &out);
    cl_int error = clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, &local, 0, NULL, NULL);
    if (error == CL_SUCCESS)
        clEnqueueReadBuffer(queue, out, CL_TRUE, 0, sizeof result, result, 0, NULL, NULL);
    unsigned sum = 0;
    for (int i = 0; i < N; i++)
        sum = sum * 31 + result[i];
    printf("%d: %u\n", error, sum);
    return 0;
}
