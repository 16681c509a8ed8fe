/* copy: launches with memory at different addresses. Prints the error of each, and a result. */
#include "ocl.h"

#define SIZE 4096

static cl_program program;
static cl_mem out;
static char *host;

static void launch(const char *what, const cl_mem *in)
{
    const size_t global = 4;
    cl_int error;
    cl_kernel kernel = clCreateKernel(program, "copy", &error);
    check(error, "clCreateKernel");
    if (in)
        check(clSetKernelArg(kernel, 0, sizeof *in, in), "in");
    check(clSetKernelArg(kernel, 1, sizeof out, &out), "out");
    printf("%s: %d\n", what,
           clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, NULL, 0, NULL, NULL));
    check(clFinish(queue), "clFinish");
    print_ints(out, 4);
    check(clReleaseKernel(kernel), "clReleaseKernel");
}

static cl_mem make(cl_mem_flags flags, size_t offset)
{
    cl_int error;
    cl_mem memory = clCreateBuffer(context, flags, SIZE, host + offset, &error);
    check(error, "clCreateBuffer");
    return memory;
}

static cl_mem part(cl_mem whole, size_t origin)
{
    cl_int error;
    cl_buffer_region region = {origin, 64};
    cl_mem memory =
        clCreateSubBuffer(whole, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &error);
    check(error, "clCreateSubBuffer");
    return memory;
}

int main(void)
{
    cl_int error;
    void *memory = NULL;
    open_device(CL_DEVICE_TYPE_ACCELERATOR, 0);
    const char *text = read_file("aligned.cl", NULL);
    program = clCreateProgramWithSource(context, 1, &text, NULL, &error);
    check(error, "clCreateProgramWithSource");
    check(clBuildProgram(program, 0, NULL, "", NULL, NULL), "clBuildProgram");
    if (posix_memalign(&memory, 4096, 2 * SIZE) != 0)
        return 1;
    host = memory;
    for (int i = 0; i < 2 * SIZE / 4; i++)
        ((int *)memory)[i] = 10 * (i & 3);
    out = buffer(16);
    cl_mem copied = make(CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, 16);
    cl_mem at_page = make(CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR, 0);
    cl_mem at_16 = make(CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR, 16);
    cl_mem pieces[] = {part(copied, 128), part(copied, 256), part(at_page, 256), part(at_16, 128)};
    launch("buffer", &copied);
    launch("part at 128", &pieces[0]);
    launch("part at 256", &pieces[1]);
    launch("host memory", &at_page);
    launch("part of host memory", &pieces[2]);
    launch("host memory at 16", &at_16);
    launch("part of host memory at 16", &pieces[3]);
    launch("not set", NULL);
    launch("buffer again", &copied);
    return 0;
}
