// wrapper: a host that never names a C function of OpenCL. Its calls are in a header, and one is
// made before main.
#define CL_HPP_TARGET_OPENCL_VERSION 120
#define CL_HPP_MINIMUM_OPENCL_VERSION 120
#define CL_HPP_ENABLE_EXCEPTIONS
#include <CL/opencl.hpp>
#include <fstream>
#include <iostream>
#include <sstream>
#include <vector>

static std::vector<cl::Platform> platforms_before_main()
{
    std::vector<cl::Platform> platforms;
    cl::Platform::get(&platforms);
    return platforms;
}

static const std::vector<cl::Platform> platforms = platforms_before_main();

int main()
{
    try {
        std::vector<cl::Device> devices;
        platforms.at(0).getDevices(CL_DEVICE_TYPE_GPU, &devices);
        cl::Context context(devices);
        cl::CommandQueue queue(context, devices[0], CL_QUEUE_PROFILING_ENABLE);
        std::ifstream file("fill.cl");
        std::stringstream text;
        text << file.rdbuf();
        cl::Program program(context, text.str());
        program.build(devices, "-DN=1");
        std::cout << program.getInfo<CL_PROGRAM_KERNEL_NAMES>() << "\n";
        cl::Kernel kernel(program, "fill");
        cl::Buffer out(context, CL_MEM_READ_WRITE, 3 * sizeof(int));
        kernel.setArg(0, out);
        cl::Kernel copy = kernel;
        cl::Event event;
        queue.enqueueNDRangeKernel(copy, cl::NullRange, cl::NDRange(3), cl::NullRange, nullptr,
                                   &event);
        cl::KernelFunctor<cl::Buffer> twice(program, "twice");
        twice(cl::EnqueueArgs(queue, cl::NDRange(3)), out).wait();
        std::vector<int> values(3);
        cl::copy(queue, out, values.begin(), values.end());
        for (int value : values)
            std::cout << value << "\n";
        std::vector<cl::Kernel> kernels;
        program.createKernels(&kernels);
        std::cout << kernels.size() << " "
                  << kernels[1].getInfo<CL_KERNEL_FUNCTION_NAME>() << " "
                  << kernels[1].getInfo<CL_KERNEL_NUM_ARGS>() << "\n";
    } catch (const cl::Error &error) {
        std::cout << error.what() << " " << error.err() << "\n";
        return 1;
    }
}
