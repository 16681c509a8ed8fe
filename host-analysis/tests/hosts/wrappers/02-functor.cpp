// cl.hpp: a functor launches.
#include "common.h"
#define CL_HPP_TARGET_OPENCL_VERSION 200
#define CL_HPP_MINIMUM_OPENCL_VERSION 120
#include <CL/opencl.hpp>

int main()
{
    cl::Context context(CL_DEVICE_TYPE_ALL);
    cl::CommandQueue queue(context);
    cl::Program program(context, "kernel void scale(global float *x) {}", true);
    cl::KernelFunctor<cl::Buffer> scale(program, "scale");
    cl::Buffer memory(context, CL_MEM_READ_WRITE, 1024);
    const int n = 100;
    // launch: kernel=scale; dim=2; global=128, 8; local=NULL; 0=main::memory
    scale(cl::EnqueueArgs(queue, cl::NDRange((n + 63) / 64 * 64, 8)), memory);
    return 0;
}
