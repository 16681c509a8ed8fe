/* add: launches with the same buffer twice, with parts of one buffer, with parts of one host
 * array, and without buffers. Prints the error of each. */
#include "ocl.h"

static cl_kernel kernel;

static void launch(const char *what, cl_mem *a, cl_mem *b, cl_mem *sum)
{
    const size_t global = 16;
    int n = 16;
    check(clSetKernelArg(kernel, 0, sizeof *a, a), "a");
    check(clSetKernelArg(kernel, 1, sizeof *b, b), "b");
    check(clSetKernelArg(kernel, 2, sizeof *sum, sum), "sum");
    check(clSetKernelArg(kernel, 3, sizeof n, &n), "n");
    printf("%s: %d\n", what,
           clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, NULL, 0, NULL, NULL));
    check(clFinish(queue), "clFinish");
}

static cl_mem part(cl_mem whole, size_t origin, size_t size)
{
    cl_int error;
    cl_buffer_region region = {origin, size};
    cl_mem memory = clCreateSubBuffer(whole, CL_MEM_READ_WRITE, CL_BUFFER_CREATE_TYPE_REGION,
                                      &region, &error);
    check(error, "clCreateSubBuffer");
    return memory;
}

static cl_mem over(char *host, size_t size)
{
    cl_int error;
    cl_mem memory =
        clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR, size, host, &error);
    check(error, "clCreateBuffer");
    return memory;
}

int main(void)
{
    cl_int error;
    open_device(CL_DEVICE_TYPE_ACCELERATOR, 0);
    const char *text = read_file("add.cl", NULL);
    cl_program program = clCreateProgramWithSource(context, 1, &text, NULL, &error);
    check(error, "clCreateProgramWithSource");
    check(clBuildProgram(program, 0, NULL, NULL, NULL, NULL), "clBuildProgram");
    kernel = clCreateKernel(program, "add", &error);
    check(error, "clCreateKernel");
    cl_mem a = buffer(64), b = buffer(64), sum = buffer(64), whole = buffer(8192);
    cl_mem first = part(whole, 0, 4096), second = part(whole, 4096, 4096);
    char *host = NULL;
    if (posix_memalign((void **)&host, 4096, 8192) != 0)
        return 1;
    cl_mem low = over(host, 4096), high = over(host + 4096, 4096), all = over(host, 8192);
    cl_mem none = NULL;
    launch("distinct", &a, &b, &sum);
    launch("inputs alike", &a, &a, &sum);
    launch("parts apart", &first, &b, &second);
    launch("host parts apart", &low, &b, &high);
    launch("same buffer", &a, &b, &a);
    launch("part and whole", &a, &second, &whole);
    launch("same part", &first, &b, &first);
    launch("host memory", &high, &b, &all);
    launch("distinct again", &a, &b, &sum);
    check(clSetKernelArg(kernel, 0, sizeof none, NULL), "NULL");
    size_t global = 0;
    cl_kernel fresh = clCreateKernel(program, "add", &error);
    global = 16;
    printf("arguments not set: %d\n",
           clEnqueueNDRangeKernel(queue, fresh, 1, NULL, &global, NULL, 0, NULL, NULL));
    return 0;
}
