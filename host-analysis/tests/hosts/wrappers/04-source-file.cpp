// flags: -DCL_HPP_TARGET_OPENCL_VERSION=120 -DCL_HPP_MINIMUM_OPENCL_VERSION=120 -DCL_HPP_ENABLE_EXCEPTIONS
// The text of a program is read through a stream; the ranges depend on the path.
#include <CL/opencl.hpp>
#include <fstream>
#include <sstream>
#include <iterator>
#include <iostream>

static std::string contents(const std::string &name)
{
    std::ifstream file(name);
    if (!file.good())
        throw cl::Error(-1, "no file");
    return std::string(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
}

int main(int argc, char **argv)
{
    try {
        cl::Context context(CL_DEVICE_TYPE_ALL);
        std::vector<cl::Device> devices = context.getInfo<CL_CONTEXT_DEVICES>();
        cl::CommandQueue queue(context, devices[0]);
        std::ostringstream options;
        options << "-DN=" << 16 << " -cl-fast-relaxed-math";
        // program: options=-DN=16 -cl-fast-relaxed-math; sources=<step.cl>; kernels=step
        cl::Program program(context, contents("step.cl"));
        program.build(devices, options.str().c_str());
        cl::Kernel step(program, "step");
        cl::NDRange local = cl::NullRange;
        if (argc > 1)
            local = cl::NDRange(16);
        // launch: kernel=step; dim=1; global=64; local=? depending on the path
        queue.enqueueNDRangeKernel(step, cl::NDRange(0), cl::NDRange(64), local);
        // launch: kernel=step; dim=1; global=1; local=1
        queue.enqueueTask(step);
    } catch (cl::Error &error) {
        std::cerr << error.what() << std::endl;
        return 1;
    }
    return 0;
}
