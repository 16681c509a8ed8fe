/* lifetime: reference counts of programs and kernels, in the orders that hosts use. */
#include "ocl.h"

static cl_uint references(cl_program program)
{
    cl_uint count = 99;
    check(clGetProgramInfo(program, CL_PROGRAM_REFERENCE_COUNT, sizeof count, &count, NULL),
          "reference count");
    return count;
}

static void launch(cl_kernel kernel)
{
    size_t global = 3;
    cl_mem out = buffer(12);
    check(clSetKernelArg(kernel, 0, sizeof out, &out), "clSetKernelArg");
    check(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, NULL, 0, NULL, NULL),
          "clEnqueueNDRangeKernel");
    print_ints(out, 3);
    check(clReleaseMemObject(out), "clReleaseMemObject");
}

static cl_program build(const char *options)
{
    cl_int error;
    const char *text = read_file("fill.cl", NULL);
    cl_program program = clCreateProgramWithSource(context, 1, &text, NULL, &error);
    check(error, "clCreateProgramWithSource");
    check(clBuildProgram(program, 0, NULL, options, NULL, NULL), "clBuildProgram");
    free((void *)text);
    return program;
}

static void once(const char *options)
{
    cl_int error;
    cl_program program = build(options);
    printf("%u", references(program));
    check(clRetainProgram(program), "clRetainProgram");
    printf(" %u", references(program));
    check(clReleaseProgram(program), "clReleaseProgram");
    printf(" %u\n", references(program));
    cl_kernel kernel = clCreateKernel(program, "fill", &error);
    check(error, "clCreateKernel");
    printf("rebuilt with a kernel: %d\n", clBuildProgram(program, 0, NULL, "", NULL, NULL));
    /* The kernel keeps the program; the host may take it back from there. */
    check(clReleaseProgram(program), "clReleaseProgram");
    cl_program again = NULL;
    check(clGetKernelInfo(kernel, CL_KERNEL_PROGRAM, sizeof again, &again, NULL), "program");
    printf("%d\n", again == program);
    launch(kernel);
    check(clRetainProgram(again), "clRetainProgram");
    check(clRetainKernel(kernel), "clRetainKernel");
    check(clReleaseKernel(kernel), "clReleaseKernel");
    launch(kernel);
    check(clReleaseKernel(kernel), "clReleaseKernel");
    kernel = clCreateKernel(again, "fill", &error);
    check(error, "clCreateKernel");
    launch(kernel);
    check(clReleaseKernel(kernel), "clReleaseKernel");
    check(clReleaseProgram(again), "clReleaseProgram");
}

int main(int argc, char **argv)
{
    (void)argc;
    open_device(CL_DEVICE_TYPE_DEFAULT, 0);
    once(argv[1]);
    once(argv[1]);
    printf("%d %d %d\n", clRetainProgram(NULL), clReleaseProgram(NULL), clReleaseKernel(NULL));
    close_device();
    return 0;
}
