// A loop goes through a map with a structured binding.
#include "common.h"
#include <map>
#include <string>

int main()
{
    cl_context context = make_context();
    cl_program program = make_program(context);
    cl_command_queue queue = make_queue(context);
    std::map<std::string, cl_kernel> kernels{
        {"a", clCreateKernel(program, "rows", NULL)},
        {"b", clCreateKernel(program, "columns", NULL)},
    };
    size_t global = 64;
    for (const auto &[name, kernel] : kernels) {
        // launch: kernel=columns|rows; dim=1; global=64; local=NULL
        clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, NULL, 0, NULL, NULL);
    }
    return 0;
}
