// A lambda launches; it sees later values of what it captures by reference, and copies the rest.
#include "common.h"

int main()
{
    cl_context context = make_context();
    cl_program program = make_program(context);
    cl_command_queue queue = make_queue(context);
    cl_kernel kernel = clCreateKernel(program, "before", NULL);
    size_t global = 64, local = 8;
    auto launch = [&, local](size_t factor) {
        size_t size = global * factor;
        // launch: kernel=after; dim=1; global=256; local=8
        clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &size, &local, 0, NULL, NULL);
    };
    kernel = clCreateKernel(program, "after", NULL);
    global = 128;
    local = 4;
    launch(2);
    return 0;
}
