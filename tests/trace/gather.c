/* Launches a kernel whose addresses and ways memory decides, and prints what it computed. */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>

#define N 1024

static void check(cl_int error, const char *what)
{
    if (error == CL_SUCCESS)
        return;
    printf("%s: error %d\n", what, error);
    exit(3);
}

int main(void)
{
    static char text[1 << 14];
    static int order[N], in[8 * N + 8], out[N + 2];
    const size_t global = N, local = 64, length = 0;
    const char *strings = text;
    cl_int error;
    cl_platform_id platform;
    cl_device_id device;
    FILE *file = fopen("gather.cl", "rb");
    if (!file || fread(text, 1, sizeof text - 1, file) == 0)
        return 4;
    fclose(file);
    for (int i = 0; i < N; i++)
        order[i] = 8 * i + (i % 4 == 0);
    for (int i = 0; i < 8 * N + 8; i++)
        in[i] = 7 * i;
    check(clGetPlatformIDs(1, &platform, NULL), "platform");
    check(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL), "device");
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &error);
    cl_command_queue queue = clCreateCommandQueue(context, device, 0, &error);
    cl_program program = clCreateProgramWithSource(context, 1, &strings, NULL, &error);
    check(clBuildProgram(program, 1, &device, "", NULL, NULL), "build");
    cl_kernel kernel = clCreateKernel(program, "gather", &error);
    check(error, "kernel");
    cl_uint count = 0;
    check(clGetKernelInfo(kernel, CL_KERNEL_NUM_ARGS, sizeof count, &count, NULL), "arguments");
    cl_mem memory[3];
    void *from[3] = {order, in, out};
    size_t bytes[3] = {sizeof order, sizeof in, sizeof out};
    for (cl_uint i = 0; i < 3; i++) {
        memory[i] = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, bytes[i], from[i], &error);
        check(error, "buffer");
        check(clSetKernelArg(kernel, i, sizeof memory[i], &memory[i]), "argument");
    }
    check(clSetKernelArg(kernel, 3, 128 * sizeof(int), NULL), "local");
    printf("%u arguments, next: %d\n", count, clSetKernelArg(kernel, 4, sizeof length, &length));
    for (int i = 0; i < 2; i++)
        check(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, &local, 0, NULL, NULL), "run");
    check(clEnqueueReadBuffer(queue, memory[2], CL_TRUE, 0, sizeof out, out, 0, NULL, NULL), "read");
    for (int i = 0; i < N + 2; i++)
        printf("%d%c", out[i], i % 16 == 15 ? '\n' : ' ');
    return 0;
}
