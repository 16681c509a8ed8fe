#define CL_TARGET_OPENCL_VERSION 200
#include <CL/cl.h>
#include <stdio.h>

int main(void)
{
    size_t global = 16, local = 4;
    cl_platform_id platform;
    cl_device_id device;
    clGetPlatformIDs(1, &platform, NULL);
    clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL);
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, NULL);
    cl_command_queue queue = clCreateCommandQueueWithProperties(context, device, NULL, NULL);
    static char text[4096];
    FILE *file = fopen("sums.cl", "r");
    text[fread(text, 1, sizeof text - 1, file)] = 0;
    const char *texts = text;
    cl_program program = clCreateProgramWithSource(context, 1, &texts, NULL, NULL);
    clBuildProgram(program, 1, &device, "-cl-std=CL2.0", NULL, NULL);
    cl_kernel kernel = clCreateKernel(program, "sums", NULL);
    int *in = clSVMAlloc(context, CL_MEM_READ_WRITE, 128, 0);
    int *out = clSVMAlloc(context, CL_MEM_READ_WRITE, 128, 0);
    int width = 5;
    for (int i = 0; i < 32; i++)
        in[i] = i;
    clSetKernelArgSVMPointer(kernel, 0, in);
    clSetKernelArg(kernel, 2, sizeof width, &width);
    for (int round = 0; round < 2; round++) {
        int *to = round ? in + 16 : out;
        clSetKernelArgSVMPointer(kernel, 1, to);
        cl_int error =
            clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, &local, 0, NULL, NULL);
        clFinish(queue);
        printf("%d: %d %d\n", error, to[1], to[15]);
    }
    clSVMFree(context, in);
    clSVMFree(context, out);
    return 0;
}
