// Kernels lie in a map by their names, which is a member.
#include "common.h"
#include <map>
#include <string>

class Device {
public:
    Device() : context(make_context()), queue(make_queue(context)) {}
    void create(std::string name) { kernels[name] = clCreateKernel(program(), name.c_str(), NULL); }
    void launch(const std::string &name, size_t global)
    {
        // launch: kernel=add|scale; dim=1; global=256 or 512; local=NULL
        clEnqueueNDRangeKernel(queue, kernels[name], 1, NULL, &global, NULL, 0, NULL, NULL);
    }
    cl_kernel find(const std::string &name)
    {
        auto found = kernels.find(name);
        if (found == kernels.end())
            return NULL;
        return found->second;
    }
    cl_command_queue queue_of() { return queue; }

private:
    cl_program program() { return make_program(context); }
    cl_context context;
    cl_command_queue queue;
    std::map<std::string, cl_kernel> kernels;
};

int main()
{
    Device device;
    device.create("add");
    device.create("scale");
    device.launch("add", 256);
    device.launch("scale", 512);
    size_t global = 1024;
    // launch: kernel=scale; dim=1; global=1024; local=NULL
    clEnqueueNDRangeKernel(device.queue_of(), device.find("scale"), 1, NULL, &global, NULL, 0, NULL, NULL);
    return 0;
}
