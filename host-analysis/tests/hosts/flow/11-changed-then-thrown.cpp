// What is changed before something is thrown stays changed behind the handler.
#include "common.h"

int main(int argc, char **argv)
{
    cl_context context = make_context();
    cl_command_queue queue = make_queue(context);
    cl_kernel kernel = clCreateKernel(make_program(context), "scale", NULL);
    size_t global = 64, local = 8;
    try {
        if (argc > 1) {
            global = 128;
            throw 1;
        }
    } catch (...) {
    }
    // launch: kernel=scale; dim=1; global=? halfway; local=8
    clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, &local, 0, NULL, NULL);
    return 0;
}
