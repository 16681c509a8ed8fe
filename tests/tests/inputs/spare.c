#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stdio.h>

static char text[4096];

int main(int argc, char **argv)
{
    cl_platform_id platform;
    cl_device_id device;
    cl_int error;
    const char *source = text;
    int values[64], sums[3] = {0, 0, 0}, n = 64;
    size_t global = 3;

    FILE *file = fopen("sum.cl", "r");
    if (!file || !fread(text, 1, sizeof text - 1, file))
        return 1;
    fclose(file);
    for (int i = 0; i < 64; i++)
        values[i] = i;
    clGetPlatformIDs(1, &platform, NULL);
    clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL);
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &error);
    cl_command_queue queue = clCreateCommandQueue(context, device, 0, &error);
    cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, &error);
    if (clBuildProgram(program, 1, &device, "", NULL, NULL))
        return 1;
    cl_kernel kernel = clCreateKernel(program, "sum", &error);
    cl_mem in = clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, sizeof values,
                               values, &error);
    cl_mem out = clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, sizeof sums,
                                sums, &error);
    BETWEEN
    clSetKernelArg(kernel, 0, sizeof in, &in);
    clSetKernelArg(kernel, 1, sizeof out, &out);
    clSetKernelArg(kernel, 2, sizeof n, &n);
    error = clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, NULL, 0, NULL, NULL);
    clEnqueueReadBuffer(queue, out, CL_TRUE, 0, sizeof sums, sums, 0, NULL, NULL);
    printf("%d: %d %d\n", (int)error, sums[1], sums[2]);
    return 0;
}
