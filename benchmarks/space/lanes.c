/* Runs one of the kernels of lanes.cl on ROWS x ROWS work-items, in groups of 64 x 4:
 *
 *     lanes KERNEL ROWS [TIMES]            multiply, convolve, options, relax
 */
#include "host.h"

#define RADIUS 2

int main(int argc, char **argv)
{
    const char *source = text_of("lanes.cl");
    const char *name = argc > 1 ? argv[1] : "multiply";
    int n = argc > 2 ? atoi(argv[2]) : 256;
    int times = argc > 3 ? atoi(argv[3]) : 5;
    /* Rooms for borders, and for two results. */
    size_t elements = 2 * (size_t)(n + 2 * RADIUS) * (n + 2 * RADIUS);
    size_t bytes = elements * sizeof(float);
    float *a = malloc(bytes), *b = malloc(bytes), *c = calloc(elements, sizeof(float));
    for (size_t i = 0; i < elements; i++) {
        a[i] = 5.0f + (float)(i % 97) * 0.25f;
        b[i] = 8.0f + (float)(i % 89) * 0.25f;
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
    check(clBuildProgram(program, 1, &device, NULL, NULL, NULL), "build");
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
    size_t global[2] = {(size_t)n, (size_t)n}, local[2] = {64, 4};
    for (int i = 0; i < times; i++) {
        error = clEnqueueNDRangeKernel(queue, kernel, 2, NULL, global, local, 0, NULL, NULL);
        check(error, "launch");
    }
    check(clEnqueueReadBuffer(queue, dc, CL_TRUE, 0, bytes, c, 0, NULL, NULL), "read");
    double sum = 0;
    for (size_t i = 0; i < elements; i++)
        sum += c[i];
    printf("%s: %g\n", name, sum);
    return 0;
}
