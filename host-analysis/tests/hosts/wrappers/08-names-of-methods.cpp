// A class has methods called as functions of OpenCL's bindings and of the standard library are: these are not
// taken for its own.
#include <CL/opencl.hpp>
#include <algorithm>
#include <vector>

class Stream {
    cl::CommandQueue queue;
    cl::Kernel kernel;
    size_t size;

public:
    Stream(const char *text);
    void get(std::vector<int> &all) { all.resize(size); }
    size_t max(size_t one, size_t other) { return size = one < other ? one : other; }
    void run();
};

Stream::Stream(const char *text) : size(64)
{
    std::vector<cl::Platform> platforms;
    cl::Platform::get(&platforms);
    std::vector<cl::Device> devices;
    platforms[0].getDevices(CL_DEVICE_TYPE_ALL, &devices);
    cl::Context context(devices[0]);
    cl::Program program(context, text);
    program.build();
    queue = cl::CommandQueue(context, devices[0]);
    kernel = cl::Kernel(program, "k");
}

void Stream::run()
{
    size_t global = std::max(size, size_t(32));
    // launch: kernel=k; dim=1; global=64; local=16
    queue.enqueueNDRangeKernel(kernel, cl::NullRange, cl::NDRange(global), cl::NDRange(16));
    // launch: kernel=k; dim=1; global=64; local=32
    queue.enqueueNDRangeKernel(kernel, cl::NullRange, cl::NDRange(size), cl::NDRange(max(size, 32)));
}

int main()
{
    Stream stream("kernel void k(global int *a) { a[get_global_id(0)]++; }");
    stream.run();
    return 0;
}
