#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>

#define ROWS 4

int main(int argc, char **argv)
{
    static char text[4096];
    const char *source = text;
    FILE *file = fopen("rows_folded.cl", "r");
    if (!file || !fread(text, 1, sizeof text - 1, file)) return 1;
    cl_platform_id platform;
    cl_device_id device;
    clGetPlatformIDs(1, &platform, NULL);
    clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL);
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, NULL);
    cl_command_queue queue = clCreateCommandQueue(context, device, 0, NULL);
    cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, NULL);
    if (clBuildProgram(program, 1, &device, "", NULL, NULL)) return 2;
    cl_kernel kernel = clCreateKernel(program, "fold", NULL);
    cl_int in[ROWS * 64], out[ROWS * 8], rows = atoi(argv[1]);
    for (int i = 0; i < ROWS * 64; i++) in[i] = i;
    cl_mem from = clCreateBuffer(context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, sizeof in, in, NULL);
    cl_int starts[ROWS + 1];
    for (int i = 0; i <= ROWS; i++) starts[i] = 64 * i;
    cl_mem bounds = clCreateBuffer(context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, sizeof starts, starts, NULL);
    cl_mem to = clCreateBuffer(context, CL_MEM_WRITE_ONLY, sizeof out, NULL, NULL);
    clSetKernelArg(kernel, 0, sizeof from, &from);
    clSetKernelArg(kernel, 1, sizeof bounds, &bounds);
    clSetKernelArg(kernel, 2, sizeof to, &to);
    clSetKernelArg(kernel, 3, sizeof rows, &rows);
    clSetKernelArg(kernel, 4, 256 * sizeof(cl_int), NULL);
    size_t global = 64, local = 32;
    if (clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, &local, 0, NULL, NULL)) return 3;
    clEnqueueReadBuffer(queue, to, CL_TRUE, 0, sizeof out, out, 0, NULL, NULL);
    for (int i = 0; i < rows * 8; i++) printf("%d ", out[i]);
    puts("");
    return 0;
}
