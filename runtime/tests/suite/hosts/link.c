/* link OPTIONS: clCompileProgram with a header, and clLinkProgram of one program and of two. */
#include "ocl.h"

static int called;

static void CL_CALLBACK notify(cl_program program, void *user_data)
{
    (void)program;
    called += *(int *)user_data;
}

static cl_program create(const char *text)
{
    cl_int error;
    cl_program program = clCreateProgramWithSource(context, 1, &text, NULL, &error);
    check(error, "clCreateProgramWithSource");
    return program;
}

static void run(cl_program program, cl_int error)
{
    if (error != CL_SUCCESS) {
        printf("not linked: %d\n", error);
        return;
    }
    size_t global = 3;
    cl_mem out = buffer(12);
    cl_kernel kernel = clCreateKernel(program, "fill", &error);
    check(error, "clCreateKernel");
    check(clSetKernelArg(kernel, 0, sizeof out, &out), "clSetKernelArg");
    check(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, NULL, 0, NULL, NULL),
          "clEnqueueNDRangeKernel");
    print_ints(out, 3);
    clReleaseKernel(kernel);
    check(clReleaseProgram(program), "clReleaseProgram");
}

int main(int argc, char **argv)
{
    (void)argc;
    cl_int error;
    int one = 1;
    open_device(CL_DEVICE_TYPE_ALL, 0);
    cl_program header = create("/* nothing */");
    cl_program fill = create(read_file("fill.cl", NULL));
    cl_program other = create("__kernel void other(__global int *out) { *out = 1; }");
    const char *name = "header.h";
    cl_program linked = clLinkProgram(context, 1, &device, "", 1, &fill, NULL, NULL, &error);
    printf("not compiled: %d %d\n", linked != NULL, error != CL_SUCCESS);
    check(clCompileProgram(fill, 1, &device, argv[1], 1, &header, &name, notify, &one),
          "clCompileProgram");
    check(clReleaseProgram(header), "clReleaseProgram");
    cl_build_status status = 99;
    clGetProgramBuildInfo(fill, device, CL_PROGRAM_BUILD_STATUS, sizeof status, &status, NULL);
    printf("status %d, called %d\n", status, called);
    linked = clLinkProgram(context, 1, &device, "", 1, &fill, notify, &one, &error);
    printf("called %d\n", called);
    run(linked, error);
    check(clCompileProgram(other, 0, NULL, "", 0, NULL, NULL, NULL, NULL), "clCompileProgram");
    cl_program both[2] = {fill, other};
    linked = clLinkProgram(context, 1, &device, "", 2, both, NULL, NULL, &error);
    run(linked, error);
    return 0;
}
