// A lambda in another thread has captured a size by reference.
#include "common.h"
#include <thread>

int main()
{
    cl_context context = make_context();
    cl_command_queue queue = make_queue(context);
    cl_program program = make_program(context);
    cl_kernel kernel = clCreateKernel(program, "scale", NULL);
    size_t global = 1024, local = 64;
    std::thread other([&local] { local = 32; });
    local = 16;
    other.join();
    // launch: kernel=scale; dim=1; global=1024; local=? a lambda that is passed
    clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, &local, 0, NULL, NULL);
    return 0;
}
