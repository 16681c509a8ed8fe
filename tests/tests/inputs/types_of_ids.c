#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stdio.h>

static char text[65536];

/* Launches each kernel over 64 work-items in groups of 16, and prints what it writes. */
int main(void) {
    static const char *const names[] = {"overloads", "selections", "sizes", "arithmetic"};
    cl_platform_id platform;
    cl_device_id device;
    cl_int error;
    clGetPlatformIDs(1, &platform, NULL);
    clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL);
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &error);
    cl_command_queue queue = clCreateCommandQueue(context, device, 0, &error);
    FILE *file = fopen("types_of_ids.cl", "r");
    const char *source = text;
    text[fread(text, 1, sizeof text - 1, file)] = 0;
    fclose(file);
    cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, &error);
    if (clBuildProgram(program, 0, NULL, NULL, NULL, NULL) != CL_SUCCESS) return 1;
    for (int k = 0; k < 4; k++) {
        cl_kernel kernel = clCreateKernel(program, names[k], &error);
        if (error != CL_SUCCESS) return 1;
        size_t global = 64, local = 16;
        cl_long values[64] = {0};
        cl_mem buffer = clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, sizeof values, values, &error);
        clSetKernelArg(kernel, 0, sizeof buffer, &buffer);
        clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, &local, 0, NULL, NULL);
        clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, sizeof values, values, 0, NULL, NULL);
        printf("%s:", names[k]);
        for (int i = 0; i < 64; i++) printf(" %lld", (long long)values[i]);
        printf("\n");
    }
    return 0;
}
