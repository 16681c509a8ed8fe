/* newer: clCloneKernel and shared virtual memory. */
#include "ocl.h"

#define CL_MEM_READ_WRITE_SVM (1 << 0)
cl_kernel clCloneKernel(cl_kernel kernel, cl_int *error);
void *clSVMAlloc(cl_context context, cl_bitfield flags, size_t size, cl_uint alignment);
void clSVMFree(cl_context context, void *memory);
cl_int clSetKernelArgSVMPointer(cl_kernel kernel, cl_uint index, const void *value);

static cl_int launch(cl_kernel kernel)
{
    size_t global = 2;
    cl_int error = clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, NULL, 0, NULL, NULL);
    check(clFinish(queue), "clFinish");
    return error;
}

/* Launches with addresses as the first argument, unless it is NULL, and the third. */
static void with(cl_kernel kernel, const char *what, const float *a, const float *sum)
{
    if (a)
        check(clSetKernelArgSVMPointer(kernel, 0, a), what);
    check(clSetKernelArgSVMPointer(kernel, 2, sum), what);
    cl_int error = launch(kernel);
    printf("%s: %d, %g\n", what, error, sum[0]);
}

int main(int argc, char **argv)
{
    cl_int error;
    open_device(CL_DEVICE_TYPE_ALL, 0);
    const char *text = read_file("add.cl", NULL);
    cl_program program = clCreateProgramWithSource(context, 1, &text, NULL, &error);
    check(error, "clCreateProgramWithSource");
    check(clBuildProgram(program, 0, NULL, NULL, NULL, NULL), "clBuildProgram");
    cl_kernel kernel = clCreateKernel(program, "add", &error);
    check(error, "clCreateKernel");
    float one[2] = {1, 1}, two[2] = {2, 2}, result[2];
    int n = 2;
    cl_mem a = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, sizeof one, one, &error);
    cl_mem b = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, sizeof two, two, &error);
    cl_mem sum = buffer(8);
    check(clSetKernelArg(kernel, 0, sizeof a, &a), "a");
    check(clSetKernelArg(kernel, 1, sizeof b, &b), "b");
    check(clSetKernelArg(kernel, 2, sizeof sum, &sum), "sum");
    check(clSetKernelArg(kernel, 3, sizeof n, &n), "n");
    char version[256] = "";
    check(clGetDeviceInfo(device, CL_DEVICE_VERSION, sizeof version, version, NULL), "version");
    if (strncmp(version, "OpenCL 1", 8) == 0) {
        puts("not cloned");
        return 0;
    }
    cl_kernel clone = clCloneKernel(kernel, &error);
    check(error, "clCloneKernel");
    check(clSetKernelArg(kernel, 2, sizeof a, &a), "sum");
    printf("cloned: %d\n", launch(clone));
    check(clEnqueueReadBuffer(queue, sum, CL_TRUE, 0, 8, result, 0, NULL, NULL), "read");
    printf("%g %g\n", result[0], result[1]);
    printf("original: %d\n", launch(kernel));
    float *shared = clSVMAlloc(context, CL_MEM_READ_WRITE_SVM, 64, 128);
    float *other = clSVMAlloc(context, CL_MEM_READ_WRITE_SVM, 64, 128);
    static float own[4] __attribute__((aligned(128))) = {5, 5};
    for (int i = 0; i < 16; i++)
        shared[i] = other[i] = 3;
    with(clone, "shared", NULL, shared);
    with(clone, "two allocations", other, shared);
    with(clone, "one allocation", shared + 8, shared + 4);
    with(clone, "of the host", own, shared);
    if (argc > 1 && strcmp(argv[1], "freed") == 0) {
        check(clSetKernelArgSVMPointer(clone, 0, other), "freed");
        clSVMFree(context, other);
        printf("freed: %d\n", launch(clone));
    }
    printf("no argument: %d\n", clSetKernelArgSVMPointer(clone, 4, shared));
    return 0;
}
