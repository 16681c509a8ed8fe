/* Prints the largest group that `where` may be launched in, and the size that it asks for. */
#include "ocl.h"

int main(void)
{
    cl_int error;
    size_t most = 0, fixed[3] = {1, 1, 1};
    open_device(CL_DEVICE_TYPE_GPU, 0);
    const char *text = read_file("where.cl", NULL);
    cl_program program = clCreateProgramWithSource(context, 1, &text, NULL, &error);
    check(error, "clCreateProgramWithSource");
    check(clBuildProgram(program, 1, &device, NULL, NULL, NULL), "clBuildProgram");
    cl_kernel kernel = clCreateKernel(program, "where", &error);
    check(error, "clCreateKernel");
    check(clGetKernelWorkGroupInfo(kernel, device, CL_KERNEL_WORK_GROUP_SIZE, sizeof most, &most,
                                   NULL),
          "CL_KERNEL_WORK_GROUP_SIZE");
    check(clGetKernelWorkGroupInfo(kernel, device, CL_KERNEL_COMPILE_WORK_GROUP_SIZE, sizeof fixed,
                                   fixed, NULL),
          "CL_KERNEL_COMPILE_WORK_GROUP_SIZE");
    printf("%zu: %zu %zu %zu\n", most, fixed[0], fixed[1], fixed[2]);
    clReleaseKernel(kernel);
    clReleaseProgram(program);
    close_device();
    return 0;
}
