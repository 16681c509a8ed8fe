/* look: launches with tables of different sizes and flags. Prints the error of each, and a result. */
#include "ocl.h"

#define SIZE 4096

static cl_program program;
static cl_mem out;

static void launch(const char *what, cl_mem table)
{
    const size_t global = 4;
    cl_int error;
    cl_kernel kernel = clCreateKernel(program, "look", &error);
    check(error, "clCreateKernel");
    if (table)
        check(clSetKernelArg(kernel, 0, sizeof table, &table), "table");
    check(clSetKernelArg(kernel, 1, sizeof out, &out), "out");
    printf("%s: %d\n", what,
           clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, NULL, 0, NULL, NULL));
    check(clFinish(queue), "clFinish");
    print_ints(out, 4);
    check(clReleaseKernel(kernel), "clReleaseKernel");
}

static cl_mem make(cl_mem_flags flags, size_t size)
{
    cl_int error;
    void *host = NULL;
    if (posix_memalign(&host, 4096, size) != 0)
        exit(1);
    for (size_t i = 0; i < size / sizeof(int); i++)
        ((int *)host)[i] = (int)(10 * i);
    if (!(flags & CL_MEM_USE_HOST_PTR))
        flags |= CL_MEM_COPY_HOST_PTR;
    cl_mem memory = clCreateBuffer(context, flags, size, host, &error);
    check(error, "clCreateBuffer");
    return memory;
}

static cl_mem part(cl_mem whole, cl_mem_flags flags)
{
    cl_int error;
    cl_buffer_region region = {0, SIZE};
    cl_mem memory =
        clCreateSubBuffer(whole, flags, CL_BUFFER_CREATE_TYPE_REGION, &region, &error);
    check(error, "clCreateSubBuffer");
    return memory;
}

int main(void)
{
    cl_int error;
    cl_uint space = 0;
    open_device(CL_DEVICE_TYPE_ACCELERATOR, 0);
    const char *text = read_file("table.cl", NULL);
    program = clCreateProgramWithSource(context, 1, &text, NULL, &error);
    check(error, "clCreateProgramWithSource");
    check(clBuildProgram(program, 0, NULL, "-cl-kernel-arg-info", NULL, NULL), "clBuildProgram");
    out = buffer(16);
    cl_mem table = make(CL_MEM_READ_ONLY, SIZE), larger = make(CL_MEM_READ_ONLY, 2 * SIZE);
    cl_mem written = make(CL_MEM_READ_WRITE, SIZE);
    launch("table", table);
    launch("smaller", make(CL_MEM_READ_ONLY, 64));
    launch("part", part(larger, 0));
    launch("larger", larger);
    launch("written", written);
    launch("read-only part of written", part(written, CL_MEM_READ_ONLY));
    launch("host memory", make(CL_MEM_READ_ONLY | CL_MEM_USE_HOST_PTR, SIZE));
    launch("huge", make(CL_MEM_READ_ONLY, 32 << 20));
    launch("not set", NULL);
    launch("table again", table);
    cl_kernel kernel = clCreateKernel(program, "look", &error);
    check(clGetKernelArgInfo(kernel, 0, CL_KERNEL_ARG_ADDRESS_QUALIFIER, sizeof space, &space, NULL),
          "clGetKernelArgInfo");
    printf("%s\n", space == CL_KERNEL_ARG_ADDRESS_GLOBAL ? "global" : "another space");
    return 0;
}
