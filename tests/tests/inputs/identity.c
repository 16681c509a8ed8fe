#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>

static cl_context context;
static cl_device_id device;
static cl_command_queue queue;

static void run(cl_program program)
{
    cl_int error, values[16];
    size_t global = 16;
    cl_kernel kernel = clCreateKernel(program, "fill", &error);
    cl_mem out = clCreateBuffer(context, CL_MEM_READ_WRITE, sizeof values, NULL, &error);
    clSetKernelArg(kernel, 0, sizeof out, &out);
    error = clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, NULL, 0, NULL, NULL);
    clEnqueueReadBuffer(queue, out, CL_TRUE, 0, sizeof values, values, 0, NULL, NULL);
    printf("%d: %d %d\n", error, values[0], values[15]);
    clReleaseKernel(kernel);
    clReleaseMemObject(out);
}

static void build(const char *options)
{
    static char text[4096];
    const char *texts = text;
    FILE *file = fopen("k.cl", "r");
    text[fread(text, 1, sizeof text - 1, file)] = 0;
    fclose(file);
    cl_int error;
    cl_program program = clCreateProgramWithSource(context, 1, &texts, NULL, &error);
    error = clBuildProgram(program, 1, &device, options, NULL, NULL);
    if (error)
        printf("not built: %d\n", error);
    else
        run(program);
    clReleaseProgram(program);
}

int main(void)
{
    cl_platform_id platform;
    clGetPlatformIDs(1, &platform, NULL);
    clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL);
    context = clCreateContext(NULL, 1, &device, NULL, NULL, NULL);
    queue = clCreateCommandQueue(context, device, 0, NULL);
    BUILDS
    return 0;
}
