// opencl.hpp around handles of the C interface: each is the handle's own object.
#include "common.h"
#define CL_HPP_TARGET_OPENCL_VERSION 200
#define CL_HPP_MINIMUM_OPENCL_VERSION 200
#include <CL/opencl.hpp>

int main()
{
    cl_context context = make_context();
    cl_command_queue queue = make_queue(context);
    const char *text = "kernel void scale(global float *x, global float *y, int n) {}";
    // program: options=-DN=4; sources="kernel void scale(global float *x, global float *y, int n) {}"; kernels=scale
    cl_program program = clCreateProgramWithSource(context, 1, &text, NULL, NULL);
    clBuildProgram(program, 0, NULL, "-DN=4", NULL, NULL);
    cl::Kernel made(cl::Program(program, true), "scale");
    cl_kernel handle = made();
    cl_mem memory = clCreateBuffer(context, CL_MEM_READ_WRITE, 1024, NULL, NULL);
    cl::Kernel kernel(handle, true);
    kernel.setArg(0, cl::Buffer(memory, true));
    kernel.setArg(1, cl::Buffer(memory, true));
    kernel.setArg(2, 256);
    // launch: kernel=scale; dim=1; global=256; local=64; 0=main::memory; 1=main::memory; 2=256
    cl::CommandQueue(queue, true).enqueueNDRangeKernel(kernel, cl::NullRange, cl::NDRange(256), cl::NDRange(64));
    return 0;
}
