// What was assigned before something is thrown may be seen behind the handler.
#include "common.h"
#include <stdexcept>

static void build(cl_program program, size_t &local)
{
    local = 32;
    if (clBuildProgram(program, 0, NULL, "", NULL, NULL) != CL_SUCCESS)
        throw std::runtime_error("build");
    local = 64;
}

int main()
{
    cl_context context = make_context();
    cl_command_queue queue = make_queue(context);
    cl_program program = make_program(context);
    cl_kernel kernel = clCreateKernel(program, "scale", NULL);
    size_t global = 256, local = 16;
    try {
        build(program, local);
    } catch (const std::exception &error) {
        fprintf(stderr, "%s\n", error.what());
    }
    // launch: kernel=scale; dim=1; global=256; local=?
    clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, &local, 0, NULL, NULL);
    return 0;
}
