/* local: a kernel with local arguments of several sizes. */
#include "ocl.h"

int main(void)
{
    cl_int error;
    open_device(CL_DEVICE_TYPE_CPU, 0);
    const char *text = read_file("local.cl", NULL);
    cl_program program = clCreateProgramWithSource(context, 1, &text, NULL, &error);
    check(error, "clCreateProgramWithSource");
    check(clBuildProgram(program, 0, NULL, NULL, NULL, NULL), "clBuildProgram");
    cl_kernel kernel = clCreateKernel(program, "reverse", &error);
    check(error, "clCreateKernel");
    int values[8] = {0, 1, 2, 3, 4, 5, 6, 7};
    cl_mem data = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, sizeof values, values, &error);
    check(clSetKernelArg(kernel, 0, sizeof data, &data), "data");
    check(clSetKernelArg(kernel, 2, 4, NULL), "other");
    size_t global = 8;
    for (size_t local = 2; local <= 8; local *= 2) {
        check(clSetKernelArg(kernel, 1, local * sizeof(int), NULL), "tile");
        error = clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, &local, 0, NULL, NULL);
        printf("%d: ", error);
        print_ints(data, 8);
    }
    printf("%d %d %d\n", clSetKernelArg(kernel, 1, 0, NULL),
           clSetKernelArg(kernel, 1, 4, values), clSetKernelArg(kernel, 3, 4, values));
    return 0;
}
