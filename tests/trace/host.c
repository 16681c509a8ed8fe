/* Launches of several kinds. Arguments: the size of a group, and anything as second one to launch
 * `scale` in place. ITEMS: how many work-items. */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>

#define N 1024

static cl_command_queue queue;

static void check(cl_int error, const char *what)
{
    if (error == CL_SUCCESS)
        return;
    printf("%s: error %d\n", what, error);
    exit(3);
}

static char *read_file(const char *name)
{
    FILE *file = fopen(name, "rb");
    char *text = calloc(1, 1 << 16);
    if (!file || fread(text, 1, (1 << 16) - 1, file) == 0)
        exit(4);
    fclose(file);
    return text;
}

static void launch(cl_kernel kernel, size_t local)
{
    const char *items = getenv("ITEMS");
    size_t global = items ? (size_t)atoi(items) : N;
    check(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, local ? &local : NULL, 0, NULL,
                                 NULL),
          "launch");
}

int main(int argc, char **argv)
{
    size_t group = argc > 1 ? (size_t)atoi(argv[1]) : 64;
    cl_int error;
    cl_platform_id platform;
    cl_device_id device;
    cl_command_queue_properties properties = 0;
    float data[N];
    for (int i = 0; i < N; i++)
        data[i] = (float)i;
    check(clGetPlatformIDs(1, &platform, NULL), "platform");
    check(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL), "device");
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &error);
    check(error, "context");
    queue = clCreateCommandQueue(context, device, 0, &error);
    check(error, "queue");
    const char *text = read_file("k.cl");
    cl_program program = clCreateProgramWithSource(context, 1, &text, NULL, &error);
    check(error, "program");
    check(clBuildProgram(program, 1, &device, "-DSTEP=2", NULL, NULL), "build");
    cl_kernel scale = clCreateKernel(program, "scale", &error);
    check(error, "scale");
    cl_kernel sums = clCreateKernel(program, "sums", &error);
    check(error, "sums");

    cl_mem a = clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, sizeof data, data,
                              &error);
    check(error, "a");
    cl_mem b = clCreateBuffer(context, CL_MEM_READ_WRITE, sizeof data, NULL, &error);
    check(error, "b");
    for (int step = 0; step < 4; step++) {
        cl_mem from = step % 2 ? b : a;
        cl_mem to = argc > 2 ? from : step % 2 ? a : b;
        float factor = 0.5f;
        check(clSetKernelArg(scale, 0, sizeof from, &from), "argument 0");
        check(clSetKernelArg(scale, 1, sizeof to, &to), "argument 1");
        check(clSetKernelArg(scale, 2, sizeof factor, &factor), "argument 2");
        check(clSetKernelArg(scale, 3, sizeof step, &step), "argument 3");
        launch(scale, group);
    }
    check(clSetKernelArg(sums, 0, sizeof a, &a), "argument 0");
    check(clSetKernelArg(sums, 1, sizeof b, &b), "argument 1");
    check(clSetKernelArg(sums, 2, group * sizeof(float), NULL), "argument 2");
    launch(sums, group);
    check(clEnqueueReadBuffer(queue, b, CL_TRUE, 0, sizeof data, data, 0, NULL, NULL), "read");
    float sum = 0;
    for (int i = 0; i < N / 64; i++)
        sum += data[i];
    check(clGetCommandQueueInfo(queue, CL_QUEUE_PROPERTIES, sizeof properties, &properties, NULL),
          "properties");
    char options[64] = "";
    check(clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_OPTIONS, sizeof options, options,
                                NULL),
          "options");
    printf("sum %g, queue properties %d, options '%s'\n", sum, (int)properties, options);
    clReleaseMemObject(a);
    clReleaseMemObject(b);
    clReleaseKernel(scale);
    clReleaseKernel(sums);
    clReleaseProgram(program);
    clReleaseCommandQueue(queue);
    clReleaseContext(context);
    return 0;
}
