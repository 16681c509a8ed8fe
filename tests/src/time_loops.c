#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>

enum { W = 12, N = W * W };

static cl_context context;
static cl_program program;
static cl_command_queue queue, other;
static const size_t size[2] = {W, W};

static void check(cl_int error, int line)
{
    if (error != CL_SUCCESS)
        printf("error %d in line %d\n", error, line);
}

#define CHECK(call) check(call, 0)
#define SCALARS \
    CHECK(clSetKernelArg(k, 2, sizeof n, &n)); \
    CHECK(clSetKernelArg(twin, 2, sizeof n, &n));
#define SET(from, to) \
    CHECK(clSetKernelArg(k, 0, sizeof(cl_mem), &from)); \
    CHECK(clSetKernelArg(k, 1, sizeof(cl_mem), &to));
#define TWIN(from, to) \
    CHECK(clSetKernelArg(twin, 0, sizeof(cl_mem), &from)); \
    CHECK(clSetKernelArg(twin, 1, sizeof(cl_mem), &to));
#define BEGIN(name) \
    int n = 3, now = 0; \
    cl_ulong start = 0, end = 0, total = 0; \
    cl_kernel k = clCreateKernel(program, name, NULL), twin = clCreateKernel(program, name, NULL); \
    cl_mem a = buffer(1), b = buffer(2), c = buffer(3); \
    cl_mem way[2] = {a, b}, all[3] = {a, b, c}; \
    (void)now; \
    SCALARS
#define END \
    printf("%u %u %u %d\n", look(all[0]), look(all[1]), look(all[2]), end >= start && total < end + 1); \
    for (int i = 0; i < 3; i++) \
        clReleaseMemObject(all[i]); \
    (void)way; \
    clReleaseKernel(k); \
    clReleaseKernel(twin);

static cl_mem buffer(int seed)
{
    int data[N];
    for (int i = 0; i < N; i++)
        data[i] = (i * 7919 + seed * 104729) % 1000;
    return clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, sizeof data, data, NULL);
}

static unsigned look(cl_mem memory)
{
    int data[N];
    unsigned sum = 0;
    CHECK(clEnqueueReadBuffer(queue, memory, CL_TRUE, 0, sizeof data, data, 0, NULL, NULL));
    for (int i = 0; i < N; i++)
        sum = sum * 31 + (unsigned)data[i];
    return sum;
}

/* loops */
int main(int argc, char **argv)
{
    static char text[8192];
    const char *texts = text;
    cl_platform_id platform;
    cl_device_id device;
    FILE *file = fopen("k.cl", "r");
    text[fread(text, 1, sizeof text - 1, file)] = 0;
    fclose(file);
    (void)argv;
    clGetPlatformIDs(1, &platform, NULL);
    clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL);
    context = clCreateContext(NULL, 1, &device, NULL, NULL, NULL);
    queue = clCreateCommandQueue(context, device, CL_QUEUE_PROFILING_ENABLE, NULL);
    other = clCreateCommandQueue(context, device, 0, NULL);
    program = clCreateProgramWithSource(context, 1, &texts, NULL, NULL);
    CHECK(clBuildProgram(program, 1, &device, "", NULL, NULL));
/* calls */
    return 0;
}
