/* binary: keeps a program's binary and makes a program from it, as hosts with a cache do. */
#include "ocl.h"

static void run(cl_program program)
{
    cl_int error;
    size_t global = 3;
    cl_mem out = buffer(12);
    cl_kernel kernel = clCreateKernel(program, "fill", &error);
    check(error, "clCreateKernel");
    check(clSetKernelArg(kernel, 0, sizeof out, &out), "clSetKernelArg");
    check(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, NULL, 0, NULL, NULL),
          "clEnqueueNDRangeKernel");
    print_ints(out, 3);
    clReleaseKernel(kernel);
}

int main(void)
{
    cl_int error, status = 99;
    open_device(CL_DEVICE_TYPE_ALL, 0);
    const char *text = read_file("fill.cl", NULL);
    cl_program program = clCreateProgramWithSource(context, 1, &text, NULL, &error);
    check(error, "clCreateProgramWithSource");
    check(clBuildProgram(program, 0, NULL, "", NULL, NULL), "clBuildProgram");
    run(program);
    size_t size = 0;
    check(clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof size, &size, NULL), "size");
    unsigned char *binary = malloc(size);
    check(clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof binary, &binary, NULL), "binary");
    clReleaseProgram(program);
    program = clCreateProgramWithBinary(context, 1, &device, &size,
                                        (const unsigned char **)&binary, &status, &error);
    check(error, "clCreateProgramWithBinary");
    printf("%d\n", status);
    clCreateKernel(program, "fill", &error);
    printf("%d\n", error);
    check(clBuildProgram(program, 1, &device, "-DN=3", NULL, NULL), "clBuildProgram");
    run(program);
    check(clReleaseProgram(program), "clReleaseProgram");
    return 0;
}
