
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>
static char text[65536];
int main(int argc, char **argv) {
    cl_platform_id platform;
    cl_device_id device;
    cl_int error;
    clGetPlatformIDs(1, &platform, NULL);
    clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL);
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &error);
    cl_command_queue queue = clCreateCommandQueue(context, device, 0, &error);
    FILE *file = fopen("k.cl", "r");
    text[fread(text, 1, sizeof text - 1, file)] = 0;
    const char *source = text;
    cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, &error);
    if (clBuildProgram(program, 1, &device, NULL, NULL, NULL)) return 2;
    cl_mem out = clCreateBuffer(context, CL_MEM_READ_WRITE, 64 * sizeof(int), NULL, &error);
    size_t global = 64, local = 8;
    for (int i = 1; i < argc; i++) {
        char name[] = {argv[i][0], 0};
        int n = atoi(argv[i] + 1), values[64];
        cl_kernel kernel = clCreateKernel(program, name, &error);
        clSetKernelArg(kernel, 0, sizeof out, &out);
        clSetKernelArg(kernel, 1, sizeof n, &n);
        if (clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, &local, 0, NULL, NULL)) return 3;
        clEnqueueReadBuffer(queue, out, CL_TRUE, 0, sizeof values, values, 0, NULL, NULL);
        printf("%s:", argv[i]);
        for (int j = 0; j < 64; j++) printf(" %d", values[j]);
        printf("\n");
        fflush(stdout);
    }
    return 0;
}
