
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stdio.h>
static char text[65536], told[65536];
int main(int argc, char **argv) {
    cl_platform_id platform;
    cl_device_id device;
    cl_int error;
    if (argc < 2) {
        printf("nothing to do\n");
        return 0;
    }
    clGetPlatformIDs(1, &platform, NULL);
    clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL);
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &error);
    cl_command_queue queue = clCreateCommandQueue(context, device, 0, &error);
    FILE *file = fopen("k.cl", "r");
    text[fread(text, 1, sizeof text - 1, file)] = 0;
    const char *source = text;
    cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, &error);
    char options[64];
    snprintf(options, sizeof options, "OPTIONS", argv[1]);
    printf("build: %d\n", clBuildProgram(program, 1, &device, options, NULL, NULL));
    size_t length = 0;
    clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, 0, NULL, &length);
    clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, sizeof told, told, NULL);
    printf("%zu: %s\n", length, told);
    cl_kernel kernel = clCreateKernel(program, "f", &error);
    if (error != CL_SUCCESS) return 1;
    size_t global = 64, local = 16;
    int values[64] = {0};
    cl_mem buffer = clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR,
                                   sizeof values, values, &error);
    clSetKernelArg(kernel, 0, sizeof buffer, &buffer);
    clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, &local, 0, NULL, NULL);
    clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, sizeof values, values, 0, NULL, NULL);
    for (int i = 0; i < 64; i++) printf("%d ", values[i]);
    printf("\n");
    return 0;
}
