/* Multiplies two matrices in tiles, and compares with the host's own product. All numbers are small
 * whole ones, so that every order of summation gives the same. */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>

#define N 128
#define TILE 16

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
    static float a[N * N], b[N * N], c[N * N];
    for (int i = 0; i < N * N; i++) {
        a[i] = (float)((i * 7 + i / N) % 13 - 6);
        b[i] = (float)((i * 5 + i / N * 3) % 11 - 5);
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
    char *text = read_text("matmul.cl");
    cl_program program = clCreateProgramWithSource(context, 1, (const char **)&text, NULL, &error);
    check(error, "clCreateProgramWithSource");
    char options[32];
    snprintf(options, sizeof options, "-DTILE=%d", TILE);
    check(clBuildProgram(program, 1, &device, options, NULL, NULL), "clBuildProgram");
    cl_kernel matmul = clCreateKernel(program, "matmul", &error);
    check(error, "clCreateKernel");

    cl_mem in_a = clCreateBuffer(context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, sizeof a, a,
                                 &error);
    check(error, "clCreateBuffer");
    cl_mem in_b = clCreateBuffer(context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, sizeof b, b,
                                 &error);
    check(error, "clCreateBuffer");
    cl_mem out = clCreateBuffer(context, CL_MEM_WRITE_ONLY, sizeof c, NULL, &error);
    check(error, "clCreateBuffer");
    int n = N;
    check(clSetKernelArg(matmul, 0, sizeof in_a, &in_a), "clSetKernelArg");
    check(clSetKernelArg(matmul, 1, sizeof in_b, &in_b), "clSetKernelArg");
    check(clSetKernelArg(matmul, 2, sizeof out, &out), "clSetKernelArg");
    check(clSetKernelArg(matmul, 3, sizeof n, &n), "clSetKernelArg");
    size_t local[2] = {TILE, TILE}, global[2] = {N, N};
    check(clEnqueueNDRangeKernel(queue, matmul, 2, NULL, global, local, 0, NULL, NULL),
          "clEnqueueNDRangeKernel");
    check(clEnqueueReadBuffer(queue, out, CL_TRUE, 0, sizeof c, c, 0, NULL, NULL),
          "clEnqueueReadBuffer");

    int wrong = 0;
    float trace = 0.0f;
    for (int row = 0; row < N; row++) {
        trace += c[row * N + row];
        for (int column = 0; column < N; column++) {
            float sum = 0.0f;
            for (int k = 0; k < N; k++)
                sum += a[row * N + k] * b[k * N + column];
            wrong += c[row * N + column] != sum;
        }
    }
    printf("product of %d x %d: trace %g, %d elements wrong\n", N, N, trace, wrong);
    clReleaseMemObject(out);
    clReleaseMemObject(in_b);
    clReleaseMemObject(in_a);
    clReleaseKernel(matmul);
    clReleaseProgram(program);
    clReleaseCommandQueue(queue);
    clReleaseContext(context);
    free(text);
    return wrong != 0;
}
