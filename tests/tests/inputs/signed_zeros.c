
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
enum { ROWS = 64, N = 24 };
static char text[65536];
static float a[ROWS * N], out[ROWS];
int main(void) {
    static const char *names[] = {"largest", "smallest", "sums", "in_place"};
    const float special[] = {0.0f, -0.0f, NAN, -1.5f, INFINITY, 0.0f, -0.0f, 2.25f};
    uint32_t seed = 12345;
    for (int i = 0; i < ROWS * N; i++) {
        seed = seed * 1664525u + 1013904223u;
        // Rows of zeros only, of zeros and NaNs, of everything.
        int kinds = i / N % 4 == 0 ? 2 : i / N % 4 == 1 ? 3 : 8;
        a[i] = special[(seed >> 16) % kinds];
    }
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
    if (clBuildProgram(program, 1, &device, "", NULL, NULL) != CL_SUCCESS) return 1;
    cl_mem in = clCreateBuffer(context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, sizeof a, a, &error);
    cl_mem made = clCreateBuffer(context, CL_MEM_READ_WRITE, sizeof out, NULL, &error);
    for (int k = 0; k < 4; k++) {
        cl_kernel kernel = clCreateKernel(program, names[k], &error);
        int n = N;
        size_t global = ROWS, local = 16;
        memset(out, 0, sizeof out);
        clEnqueueWriteBuffer(queue, made, CL_TRUE, 0, sizeof out, out, 0, NULL, NULL);
        clSetKernelArg(kernel, 0, sizeof in, &in);
        clSetKernelArg(kernel, 1, sizeof made, &made);
        clSetKernelArg(kernel, 2, sizeof n, &n);
        clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, &local, 0, NULL, NULL);
        clEnqueueReadBuffer(queue, made, CL_TRUE, 0, sizeof out, out, 0, NULL, NULL);
        printf("%s:", names[k]);
        for (int i = 0; i < ROWS; i++) {
            uint32_t bits;
            memcpy(&bits, &out[i], sizeof bits);
            // OpenCL does not say which NaN an operation makes.
            isnan(out[i]) ? printf(" nan") : printf(" %08x", (unsigned)bits);
        }
        printf("\n");
    }
    return 0;
}
