// cl.hpp: a kernel, its arguments and its launch.
#include "common.h"
#define CL_HPP_TARGET_OPENCL_VERSION 200
#define CL_HPP_MINIMUM_OPENCL_VERSION 120
#include <CL/opencl.hpp>

int main()
{
    cl::Context context(CL_DEVICE_TYPE_ALL);
    cl::CommandQueue queue(context);
    cl::Program program(context, "kernel void scale(global float *x, int n) {}");
    program.build("-DN=4");
    cl::Kernel kernel(program, "scale");
    cl::Buffer memory(context, CL_MEM_READ_WRITE, 256 * sizeof(float));
    kernel.setArg(0, memory);
    kernel.setArg(1, 256);
    // launch: kernel=scale; dim=1; global=256; local=64; 0=main::memory; 1=256
    queue.enqueueNDRangeKernel(kernel, cl::NullRange, cl::NDRange(256), cl::NDRange(64));
    return 0;
}
