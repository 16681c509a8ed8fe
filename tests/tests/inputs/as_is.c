
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>
static void check(const char *what, cl_int error) {
    if (error == CL_SUCCESS) return;
    printf("%s: %d\n", what, error);
    exit(1);
}
static char text[65536];
static cl_program load(cl_context context, cl_device_id device, const char *name) {
    cl_int error;
    FILE *file = fopen(name, "r");
    text[fread(text, 1, sizeof text - 1, file)] = 0;
    fclose(file);
    const char *source = text;
    cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, &error);
    check("create", error);
    check("build", clBuildProgram(program, 1, &device, "-DSTEP=3", NULL, NULL));
    return program;
}
int main(void) {
    cl_platform_id platform;
    cl_device_id device;
    cl_int error;
    clGetPlatformIDs(1, &platform, NULL);
    clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL);
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &error);
    cl_command_queue queue = clCreateCommandQueue(context, device, 0, &error);
    cl_program program = load(context, device, "k.cl");
    size_t count = 0;
    char names[256] = "";
    clGetProgramInfo(program, CL_PROGRAM_NUM_KERNELS, sizeof count, &count, NULL);
    clGetProgramInfo(program, CL_PROGRAM_KERNEL_NAMES, sizeof names, names, NULL);
    cl_kernel all[2] = {NULL, NULL};
    cl_uint made = 0;
    check("all kernels", clCreateKernelsInProgram(program, 2, all, &made));
    printf("%zu kernels (%s), %u made\n", count, names, made);
    cl_kernel fill = clCreateKernel(program, "fill", &error);
    check("fill", error);
    cl_kernel turn = clCreateKernel(program, "turn", &error);
    check("turn", error);
    clCreateKernel(program, "other", &error);
    cl_uint arguments = 0;
    clGetKernelInfo(turn, CL_KERNEL_NUM_ARGS, sizeof arguments, &arguments, NULL);
    size_t required[3] = {7, 7, 7};
    clGetKernelWorkGroupInfo(turn, device, CL_KERNEL_COMPILE_WORK_GROUP_SIZE, sizeof required,
                             required, NULL);
    printf("other: %d; turn: %u arguments, groups of %zu\n", error, arguments, required[0]);
    size_t global = 64, local = 16;
    int values[64] = {0};
    cl_mem buffer = clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR,
                                   sizeof values, values, &error);
    check("buffer", clSetKernelArg(fill, 0, sizeof buffer, &buffer));
    check("buffer", clSetKernelArg(turn, 0, sizeof buffer, &buffer));
    check("local", clSetKernelArg(turn, 1, local * sizeof(int), NULL));
    check("launch", clEnqueueNDRangeKernel(queue, fill, 1, NULL, &global, &local, 0, NULL, NULL));
    check("launch", clEnqueueNDRangeKernel(queue, turn, 1, NULL, &global, &local, 0, NULL, NULL));
#ifdef TWO
    cl_kernel add = clCreateKernel(load(context, device, "two.cl"), "add", &error);
    check("add", error);
    check("buffer", clSetKernelArg(add, 0, sizeof buffer, &buffer));
    check("launch", clEnqueueNDRangeKernel(queue, add, 1, NULL, &global, &local, 0, NULL, NULL));
#endif
    check("read", clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, sizeof values, values, 0, NULL,
                                      NULL));
    for (int i = 0; i < 64; i++) printf("%d ", values[i]);
    printf("\n");
    return 0;
}
