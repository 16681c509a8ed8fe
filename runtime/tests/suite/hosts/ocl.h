/* What the test hosts share. Each host is an ordinary OpenCL program: nothing here knows of the
 * runtime under test. */
#ifndef OCL_H
#define OCL_H

#define CL_TARGET_OPENCL_VERSION 120
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static cl_platform_id platform;
static cl_device_id device;
static cl_context context;
static cl_command_queue queue;

static inline void check(cl_int error, const char *what)
{
    if (error == CL_SUCCESS)
        return;
    printf("%s: %d\n", what, error);
    exit(3);
}

static inline void open_device(cl_device_type type, cl_command_queue_properties properties)
{
    cl_int error;
    check(clGetPlatformIDs(1, &platform, NULL), "clGetPlatformIDs");
    check(clGetDeviceIDs(platform, type, 1, &device, NULL), "clGetDeviceIDs");
    context = clCreateContext(NULL, 1, &device, NULL, NULL, &error);
    check(error, "clCreateContext");
    queue = clCreateCommandQueue(context, device, properties, &error);
    check(error, "clCreateCommandQueue");
}

static inline char *read_file(const char *name, size_t *length)
{
    FILE *file = fopen(name, "rb");
    if (!file) {
        perror(name);
        exit(3);
    }
    char *text = calloc(1, 1 << 16);
    size_t count = fread(text, 1, (1 << 16) - 1, file);
    fclose(file);
    if (length)
        *length = count;
    return text;
}

static inline cl_mem buffer(size_t bytes)
{
    cl_int error;
    void *zero = calloc(1, bytes);
    cl_mem memory =
        clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, bytes, zero, &error);
    check(error, "clCreateBuffer");
    free(zero);
    return memory;
}

static inline void print_ints(cl_mem memory, size_t count)
{
    int *values = malloc(count * sizeof *values);
    check(clEnqueueReadBuffer(queue, memory, CL_TRUE, 0, count * sizeof *values, values, 0, NULL,
                              NULL),
          "clEnqueueReadBuffer");
    for (size_t i = 0; i < count; i++)
        printf("%d%c", values[i], i + 1 < count ? ' ' : '\n');
    free(values);
}

static inline void close_device(void)
{
    check(clReleaseCommandQueue(queue), "clReleaseCommandQueue");
    check(clReleaseContext(context), "clReleaseContext");
}

#endif
