/* A loop of unknown length chooses among numbers; where it counts, a size may be any number. */
#include "common.h"

int asks_for(int i);

int main(int argc, char **argv)
{
    cl_context context = make_context();
    cl_command_queue queue = make_queue(context);
    cl_kernel kernel = clCreateKernel(make_program(context), "k", NULL);
    size_t global = 1024, local = 64, groups = 1;
    for (int i = 0; i < argc; i++) {
        if (asks_for(i) > 1)
            local = 256;
        else if (asks_for(i))
            local = 128;
    }
    // launch: kernel=k; dim=1; global=1024; local=64 or 128 or 256
    clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, &local, 0, NULL, NULL);
    for (int i = 0; i < argc; i++)
        if (asks_for(i))
            groups++;
    // launch: kernel=k; dim=1; global=1024; local=groups
    clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, &groups, 0, NULL, NULL);
    return 0;
}
