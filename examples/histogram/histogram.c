/* Counts how often each byte occurs, and compares with the host's own counts. */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>

#define BYTES 50000
#define BINS 256

static void check(cl_int error, const char *what)
{
    if (error != CL_SUCCESS) {
        fprintf(stderr, "%s: OpenCL error %d\n", what, (int)error);
        exit(1);
    }
}

static char *read_text(const char *name)
{
    FILE *file = fopen(name, "rb");
    if (file == NULL) {
        perror(name);
        exit(1);
    }
    fseek(file, 0, SEEK_END);
    long length = ftell(file);
    rewind(file);
    char *text = calloc((size_t)length + 1, 1);
    if (fread(text, 1, (size_t)length, file) != (size_t)length) {
        perror(name);
        exit(1);
    }
    fclose(file);
    return text;
}

int main(void)
{
    static unsigned char bytes[BYTES];
    static cl_uint counts[BINS], expected[BINS];
    unsigned seed = 11;
    for (int i = 0; i < BYTES; i++) {
        seed = seed * 1664525u + 1013904223u;
        bytes[i] = (unsigned char)((seed >> 24) * (seed >> 16 & 0xff) / 256);
        expected[bytes[i]]++;
    }

    cl_int error;
    cl_platform_id platform;
    cl_device_id device;
    check(clGetPlatformIDs(1, &platform, NULL), "clGetPlatformIDs");
    check(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL), "clGetDeviceIDs");
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &error);
    check(error, "clCreateContext");
    cl_command_queue queue = clCreateCommandQueue(context, device, 0, &error);
    check(error, "clCreateCommandQueue");
    char *text = read_text("histogram.cl");
    cl_program program = clCreateProgramWithSource(context, 1, (const char **)&text, NULL, &error);
    check(error, "clCreateProgramWithSource");
    check(clBuildProgram(program, 1, &device, NULL, NULL, NULL), "clBuildProgram");
    cl_kernel histogram = clCreateKernel(program, "histogram", &error);
    check(error, "clCreateKernel");

    cl_mem in = clCreateBuffer(context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, sizeof bytes,
                               bytes, &error);
    check(error, "clCreateBuffer");
    cl_mem out = clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, sizeof counts,
                                counts, &error);
    check(error, "clCreateBuffer");
    int n = BYTES;
    check(clSetKernelArg(histogram, 0, sizeof in, &in), "clSetKernelArg");
    check(clSetKernelArg(histogram, 1, sizeof out, &out), "clSetKernelArg");
    check(clSetKernelArg(histogram, 2, sizeof n, &n), "clSetKernelArg");
    size_t local = 64, global = 1024;
    check(clEnqueueNDRangeKernel(queue, histogram, 1, NULL, &global, &local, 0, NULL, NULL),
          "clEnqueueNDRangeKernel");
    check(clEnqueueReadBuffer(queue, out, CL_TRUE, 0, sizeof counts, counts, 0, NULL, NULL),
          "clEnqueueReadBuffer");

    int wrong = 0, most = 0;
    for (int bin = 0; bin < BINS; bin++) {
        wrong += counts[bin] != expected[bin];
        if (counts[bin] > counts[most])
            most = bin;
    }
    printf("%d bytes: %d occurs most often, %u times; %d counts wrong\n", BYTES, most,
           (unsigned)counts[most], wrong);
    clReleaseMemObject(out);
    clReleaseMemObject(in);
    clReleaseKernel(histogram);
    clReleaseProgram(program);
    clReleaseCommandQueue(queue);
    clReleaseContext(context);
    free(text);
    return wrong != 0;
}
