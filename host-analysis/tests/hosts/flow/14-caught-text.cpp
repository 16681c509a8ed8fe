// What was caught is told; its methods change nothing else.
#include "common.h"
#include <stdio.h>
#include <string>

size_t group;

static void check(int status)
{
    if (status != 0)
        throw std::string("it failed");
}

int main(int argc, char **argv)
{
    cl_context context = make_context();
    cl_command_queue queue = make_queue(context);
    cl_kernel kernel = clCreateKernel(make_program(context), "scale", NULL);
    size_t global = 128;
    group = 8;
    try {
        check(argc - 1);
    } catch (std::string message) {
        printf("%s\n", message.c_str());
    }
    // launch: kernel=scale; dim=1; global=128; local=8
    clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, &group, 0, NULL, NULL);
    group = 32;
    // launch: kernel=scale; dim=1; global=128; local=32
    clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, &group, 0, NULL, NULL);
    return 0;
}
