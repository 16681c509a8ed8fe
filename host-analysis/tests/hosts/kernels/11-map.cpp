// Kernels lie in a map by their names.
#include "common.h"
#include <map>
#include <string>

int main()
{
    cl_context context = make_context();
    cl_command_queue queue = make_queue(context);
    cl_program program = make_program(context);
    std::map<std::string, cl_kernel> kernels;
    kernels["scale"] = clCreateKernel(program, "scale", NULL);
    kernels["add"] = clCreateKernel(program, "add", NULL);
    size_t global = 64;
    // launch: kernel=add; dim=1; global=64; local=NULL
    clEnqueueNDRangeKernel(queue, kernels["add"], 1, NULL, &global, NULL, 0, NULL, NULL);
    return 0;
}
