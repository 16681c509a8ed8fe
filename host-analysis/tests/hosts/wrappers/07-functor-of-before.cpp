// opencl.hpp has the functor of cl.hpp in a namespace of its own.
#include "common.h"
#define CL_HPP_TARGET_OPENCL_VERSION 120
#define CL_HPP_MINIMUM_OPENCL_VERSION 120
#include <CL/opencl.hpp>

static void named(cl::CommandQueue queue, cl::Program program, cl::Buffer shared)
{
    cl::compatibility::make_kernel<cl::Buffer> scale(program, "scale");
    // launch: kernel=scale; dim=1; global=128; local=16
    scale(cl::EnqueueArgs(queue, cl::NDRange(128), cl::NDRange(16)), shared);
}

using namespace cl;

int main()
{
    Context context(CL_DEVICE_TYPE_ALL);
    CommandQueue queue(context);
    Program program(context, "kernel void scale(global float *x) {} kernel void shift(int n, global float *x) {}", true);
    Buffer memory(context, CL_MEM_READ_WRITE, 1024);
    named(queue, program, memory);
    auto shift = compatibility::make_kernel<int, Buffer>(program, "shift");
    // launch: kernel=shift; dim=1; global=64; local=NULL; 0=7; 1=main::memory
    shift(EnqueueArgs(queue, NDRange(64)), 7, memory);
    return 0;
}
