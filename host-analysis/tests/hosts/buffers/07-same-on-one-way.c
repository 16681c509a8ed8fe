// A helper launches with two buffers, then with one of them twice.
#include "common.h"

static cl_command_queue queue;
static cl_kernel kernel;

static void run(cl_mem x, int n, cl_mem y)
{
    size_t global = 1024;
    clSetKernelArg(kernel, 0, sizeof x, &x);
    clSetKernelArg(kernel, 1, sizeof n, &n);
    clSetKernelArg(kernel, 2, sizeof y, &y);
    // launch: kernel=scale; dim=1; global=1024; local=NULL; 0=main::a or main::b; 1=0;
    //   2=main::a or main::b; same=0 and 2
    clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, NULL, 0, NULL, NULL);
}

static void exchange(cl_mem *x, cl_mem *y)
{
    cl_mem z = *x;
    *x = *y;
    *y = z;
}

int main(void)
{
    cl_context context = make_context();
    queue = make_queue(context);
    kernel = clCreateKernel(make_program(context), "scale", NULL);
    cl_mem a = clCreateBuffer(context, CL_MEM_READ_WRITE, 4096, NULL, NULL);
    cl_mem b = clCreateBuffer(context, CL_MEM_READ_WRITE, 4096, NULL, NULL);
    run(a, 0, b);
    run(b, 0, a);
    run(b, 0, b);
    cl_mem from = a, to = b;
    for (int i = 0; i < 4; i++) {
        size_t global = 512;
        clSetKernelArg(kernel, 0, sizeof from, &from);
        clSetKernelArg(kernel, 2, sizeof to, &to);
        // launch: kernel=scale; dim=1; global=512; local=NULL; same=
        clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, NULL, 0, NULL, NULL);
        exchange(&from, &to);
    }
    return 0;
}
