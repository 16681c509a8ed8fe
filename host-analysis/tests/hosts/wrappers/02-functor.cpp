// flags: -DCL_HPP_TARGET_OPENCL_VERSION=120 -DCL_HPP_MINIMUM_OPENCL_VERSION=120
// KernelFunctor and EnqueueArgs; buffers of iterators; a product as the constructor's argument.
#include <CL/opencl.hpp>
#include <vector>

int main(int argc, char **argv)
{
    cl::Context context(CL_DEVICE_TYPE_ALL);
    cl::CommandQueue queue(context);
    cl::Program program(context, "kernel void add(global int *a, global int *b, int n) {}", false);
    program.build();
    auto add = cl::KernelFunctor<cl::Buffer, cl::Buffer, int>(program, "add");
    size_t groups = 8, items = 32;
    std::vector<int> h(groups * items, 1);
    // buffer: name=main::a; flags=READ_ONLY; size=1024
    cl::Buffer a(context, h.begin(), h.end(), true);
    cl::Buffer b{context, CL_MEM_WRITE_ONLY, sizeof(int) * h.size()};
    cl::NDRange global(groups * items);
    cl::EnqueueArgs how(queue, global, cl::NDRange(items));
    // launch: kernel=add; dim=1; global=256; local=32; 0=main::a; 1=main::b; 2=256
    add(how, a, b, (int)h.size());
    // launch: kernel=add; dim=1; global=argc; local=NULL; 0=main::b; 1=main::a; 2=7
    add(cl::EnqueueArgs(queue, cl::NDRange(argc)), b, a, 7);
    cl::copy(queue, b, h.begin(), h.end());
    return 0;
}
