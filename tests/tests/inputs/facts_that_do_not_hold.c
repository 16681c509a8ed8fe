#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>

static cl_command_queue queue;
static cl_kernel kernel;
static cl_mem in, out;

static void report(cl_int error)
{
    int sums[16] = {0};
    if (error == CL_SUCCESS)
        clEnqueueReadBuffer(queue, out, CL_TRUE, 0, sizeof sums, sums, 0, NULL, NULL);
    printf("%d: %d %d\n", error, sums[1], sums[15]);
}

int main(int argc, char **argv)
{
    int width = atoi(argv[1]), data[256];
    size_t global = 16, local = atoi(argv[2]);
    cl_platform_id platform;
    cl_device_id device;
    clGetPlatformIDs(1, &platform, NULL);
    clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL);
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, NULL);
    queue = clCreateCommandQueue(context, device, 0, NULL);
    static char text[4096];
    FILE *file = fopen("sums.cl", "r");
    text[fread(text, 1, sizeof text - 1, file)] = 0;
    const char *texts = text;
    cl_program program = clCreateProgramWithSource(context, 1, &texts, NULL, NULL);
    clBuildProgram(program, 1, &device, "", NULL, NULL);
    kernel = clCreateKernel(program, "sums", NULL);
    for (int i = 0; i < 256; i++)
        data[i] = i;
    in = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, sizeof data, data, NULL);
    out = clCreateBuffer(context, CL_MEM_READ_WRITE, 16 * sizeof(int), NULL, NULL);
    clSetKernelArg(kernel, 0, sizeof in, &in);
    clSetKernelArg(kernel, 1, sizeof out, &out);
    clSetKernelArg(kernel, 2, sizeof width, &width);
    LAUNCHES
    return 0;
}
