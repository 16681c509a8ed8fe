// flags: -DCL_HPP_TARGET_OPENCL_VERSION=120 -DCL_HPP_MINIMUM_OPENCL_VERSION=120
// Kernel, setArg, NDRange and enqueueNDRangeKernel of the C++ wrappers.
#include <CL/opencl.hpp>
#include <string>

int main(int argc, char **argv)
{
    cl::Context context(CL_DEVICE_TYPE_ALL);
    cl::CommandQueue queue(context, CL_QUEUE_PROFILING_ENABLE);
    std::string source = "kernel void scale(global int *x, int n, local int *t) {}";
    // program: options=-DW=4; sources="kernel void scale(global int *x, int n, local int *t) {}"; kernels=scale
    cl::Program program(context, source);
    program.build("-DW=4");
    cl::Kernel kernel(program, "scale");
    // buffer: name=main::x; flags=READ_WRITE; size=4096
    cl::Buffer x(context, CL_MEM_READ_WRITE, 1024 * sizeof(float));
    kernel.setArg(0, x);
    kernel.setArg(1, argc);
    kernel.setArg(2, cl::Local(256));
    // launch: kernel=scale; dim=2; global=64, 32; local=8, 4; 0=main::x; 1=argc; 2=local 256
    queue.enqueueNDRangeKernel(kernel, cl::NullRange, cl::NDRange(64, 32), cl::NDRange(8, 4));
    queue.finish();
    return 0;
}
