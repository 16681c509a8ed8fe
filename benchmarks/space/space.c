/* Runs one of the kernels of space.cl:
 *
 *     space KERNEL ELEMENTS WORK-ITEMS GROUP     empty, coalesced, blocked, compute
 *     space KERNEL ROWS                          transpose, multiply, stencil
 *
 * Compiled with -DWIDTH=N, vectors have N elements. */
#include "host.h"
#include <string.h>

#ifndef WIDTH
#define WIDTH 1
#endif
#define TEXT_OF(x) #x
#define TEXT(x) TEXT_OF(x)

int main(int argc, char **argv)
{
    const char *source = text_of("space.cl");
    const char *name = argc > 1 ? argv[1] : "coalesced";
    int is_flat = strcmp(name, "transpose") && strcmp(name, "multiply") && strcmp(name, "stencil");
    int n = argc > 2 ? atoi(argv[2]) : 1 << 20;
    size_t elements = is_flat ? (size_t)n : (size_t)n * n;
    size_t bytes = elements * sizeof(float);
    float *a = malloc(bytes), *b = malloc(bytes), *c = calloc(elements, sizeof(float));
    for (size_t i = 0; i < elements; i++) {
        a[i] = (float)(i % 7);
        b[i] = (float)(i % 5) * 0.125f;
    }
    cl_platform_id platform;
    cl_device_id device;
    cl_int error;
    check(clGetPlatformIDs(1, &platform, NULL), "platform");
    check(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL), "device");
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &error);
    check(error, "context");
    cl_command_queue queue = clCreateCommandQueue(context, device, 0, &error);
    check(error, "queue");
    cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, &error);
    check(error, "program");
    check(clBuildProgram(program, 1, &device, "-DWIDTH=" TEXT(WIDTH), NULL, NULL), "build");
    cl_kernel kernel = clCreateKernel(program, name, &error);
    check(error, "kernel");
    cl_mem da = clCreateBuffer(context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, bytes, a, &error);
    cl_mem db = clCreateBuffer(context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, bytes, b, &error);
    cl_mem dc = clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, bytes, c, &error);
    check(error, "buffers");
    clSetKernelArg(kernel, 0, sizeof da, &da);
    clSetKernelArg(kernel, 1, sizeof db, &db);
    clSetKernelArg(kernel, 2, sizeof dc, &dc);
    clSetKernelArg(kernel, 3, sizeof n, &n);
    size_t flat[1] = {argc > 3 ? (size_t)atol(argv[3]) : 4096}, group[1] = {argc > 4 ? (size_t)atol(argv[4]) : 64};
    size_t square[2] = {(size_t)n, (size_t)n}, tile[2] = {16, 16};
    for (int i = 0; i < 5; i++) {
        if (is_flat)
            error = clEnqueueNDRangeKernel(queue, kernel, 1, NULL, flat, group, 0, NULL, NULL);
        else
            error = clEnqueueNDRangeKernel(queue, kernel, 2, NULL, square, tile, 0, NULL, NULL);
        check(error, "launch");
    }
    check(clEnqueueReadBuffer(queue, dc, CL_TRUE, 0, bytes, c, 0, NULL, NULL), "read");
    double sum = 0;
    for (size_t i = 0; i < elements; i++)
        sum += c[i];
    printf("%s: %g\n", name, sum);
    return 0;
}
