/* Launches kernels that loop, and prints what it can see of them. Argument: the kernels' file. */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>

#define N 64

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

int main(int argc, char **argv)
{
    const size_t global = N;
    const size_t local = 16;
    cl_int error;
    cl_platform_id platform;
    cl_device_id device;
    int out[N] = {0};
    check(clGetPlatformIDs(1, &platform, NULL), "platform");
    check(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL), "device");
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &error);
    check(error, "context");
    cl_command_queue queue = clCreateCommandQueue(context, device, 0, &error);
    check(error, "queue");
    const char *text = read_file(argc > 1 ? argv[1] : "counts.cl");
    cl_program program = clCreateProgramWithSource(context, 1, &text, NULL, &error);
    check(error, "program");
    check(clBuildProgram(program, 1, &device, "-D STEP=2 -cl-kernel-arg-info", NULL, NULL),
          "build");
    cl_kernel kernels[3];
    cl_uint found = 0;
    check(clCreateKernelsInProgram(program, 3, kernels, &found), "kernels");
    cl_mem memory = clCreateBuffer(context, CL_MEM_READ_WRITE, sizeof out, NULL, &error);
    check(error, "buffer");
    for (cl_uint i = 0; i < found; i++) {
        char name[64] = "";
        cl_uint count = 0;
        cl_program own = NULL;
        check(clGetKernelInfo(kernels[i], CL_KERNEL_FUNCTION_NAME, sizeof name, name, NULL), "name");
        check(clGetKernelInfo(kernels[i], CL_KERNEL_NUM_ARGS, sizeof count, &count, NULL), "count");
        check(clGetKernelInfo(kernels[i], CL_KERNEL_PROGRAM, sizeof own, &own, NULL), "program");
        printf("%s: %u arguments, program %d, next argument: %d %d\n", name, count, own == program,
               clSetKernelArg(kernels[i], count, sizeof memory, &memory),
               clGetKernelArgInfo(kernels[i], count, CL_KERNEL_ARG_NAME, sizeof name, name, NULL));
    }
    cl_kernel work = clCreateKernel(program, "work", &error);
    check(error, "work");
    cl_kernel straight = clCreateKernel(program, "straight", &error);
    check(error, "straight");
    cl_kernel many = clCreateKernel(program, "many", &error);
    check(error, "many");
    cl_uint often = 0x50000001;
    check(clSetKernelArg(many, 0, sizeof memory, &memory), "argument 0");
    check(clSetKernelArg(many, 1, sizeof often, &often), "argument 1");
    check(clSetKernelArg(work, 0, sizeof memory, &memory), "argument 0");
    check(clSetKernelArg(work, 1, local * sizeof(int), NULL), "argument 1");
    check(clSetKernelArg(straight, 0, sizeof memory, &memory), "argument 0");
    check(clEnqueueNDRangeKernel(queue, work, 1, NULL, &global, &local, 0, NULL, NULL), "launch");
    check(clEnqueueNDRangeKernel(queue, straight, 1, NULL, &global, NULL, 0, NULL, NULL), "launch");
    check(clEnqueueNDRangeKernel(queue, many, 1, NULL, &local, NULL, 0, NULL, NULL), "launch");
    check(clEnqueueReadBuffer(queue, memory, CL_TRUE, 0, sizeof out, out, 0, NULL, NULL), "read");
    for (int i = 0; i < N; i++)
        printf("%d%c", out[i], i + 1 < N ? ' ' : '\n');
    clReleaseMemObject(memory);
    clReleaseKernel(work);
    clReleaseKernel(straight);
    clReleaseKernel(many);
    for (cl_uint i = 0; i < found; i++)
        clReleaseKernel(kernels[i]);
    clReleaseProgram(program);
    clReleaseCommandQueue(queue);
    clReleaseContext(context);
    return 0;
}
