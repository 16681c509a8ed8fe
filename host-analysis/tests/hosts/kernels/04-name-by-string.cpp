// A name is put together from std::string.
#include "common.h"
#include <string>

static std::string kernel_name(const std::string &stem, int width)
{
    std::string name = stem + "_v";
    name += std::to_string(width);
    return name;
}

int main()
{
    cl_context context = make_context();
    cl_command_queue queue = make_queue(context);
    cl_program program = make_program(context);
    cl_kernel kernel = clCreateKernel(program, kernel_name("gemm", 4).c_str(), NULL);
    size_t global = 128;
    // launch: kernel=gemm_v4; dim=1; global=128; local=NULL
    clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, NULL, 0, NULL, NULL);
    return 0;
}
