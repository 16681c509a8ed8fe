#include <CL/cl.h>
#include <stdlib.h>
#include "device.h"

int main(int argc, char **argv) {
    cl_context context = make_context();
    cl_command_queue queue = clCreateCommandQueue(context, device, 0, NULL);
    cl_program program = program_of(context, "k.cl");
    clBuildProgram(program, 1, &device, "-DSCALE=3", NULL, NULL);
    cl_kernel kernel = clCreateKernel(program, "scale", NULL);
    int n = argc > 1 ? atoi(argv[1]) : 1000;
    size_t local = 64;
    size_t global = (n + local - 1) / local * local;
    cl_mem data = clCreateBuffer(context, CL_MEM_READ_WRITE, global * sizeof(int), NULL, NULL);
    clSetKernelArg(kernel, 0, sizeof(data), &data);
    for (int step = 0; step < n; step += 300) {
        clSetKernelArg(kernel, 1, sizeof(step), &step);
        clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, &local, 0, NULL, NULL);
    }
    return clFinish(queue);
}
