// flags: -DCL_HPP_TARGET_OPENCL_VERSION=120 -DCL_HPP_MINIMUM_OPENCL_VERSION=120
// Wrappers as members and in containers, in a class, with their namespace in use.
#include <CL/opencl.hpp>
#include <map>
#include <string>
#include <vector>

using namespace cl;

class Pipeline {
public:
    Pipeline(const Context &context, const Program &program) : queue(context)
    {
        for (const char *name : {"first", "second"})
            kernels[name] = Kernel(program, name);
        for (int i = 0; i < 2; i++)
            buffers.push_back(Buffer(context, CL_MEM_READ_WRITE, 64 << i));
    }
    void run(const std::string &name, int from)
    {
        Kernel &kernel = kernels.at(name);
        kernel.setArg(0, buffers[from]);
        // launch: kernel=first|second; dim=1; global=256; local=NULL
        queue.enqueueNDRangeKernel(kernel, NullRange, NDRange(size), NullRange);
    }

private:
    CommandQueue queue;
    std::map<std::string, Kernel> kernels;
    std::vector<Buffer> buffers;
    size_t size{256};
};

int main()
{
    Context context(CL_DEVICE_TYPE_ALL);
    Program program(context, std::string("kernel void first(global int *x) {} kernel void second(global int *x) {}"));
    program.build("");
    Pipeline pipeline(context, program);
    pipeline.run("first", 0);
    pipeline.run("second", 1);
    return 0;
}
