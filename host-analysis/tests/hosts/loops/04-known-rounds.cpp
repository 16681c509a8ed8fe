// A loop of three rounds launches with a size of each.
#include "common.h"

int main()
{
    cl_context context = make_context();
    cl_command_queue queue = make_queue(context);
    cl_program program = make_program(context);
    cl_kernel kernel = clCreateKernel(program, "scale", NULL);
    for (int level = 0; level < 3; ++level) {
        size_t global = 64 << level;
        // launch: kernel=scale; dim=1; global=64 or 128 or 256; local=NULL; changes=global 0
        clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, NULL, 0, NULL, NULL);
    }
    return 0;
}
