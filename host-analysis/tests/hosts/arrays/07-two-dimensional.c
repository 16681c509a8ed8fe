// Rows of a table are the sizes of levels.
#include "common.h"

static const size_t levels[2][2] = {{256, 256}, {64, 32}};

int main(void)
{
    cl_context context = make_context();
    cl_command_queue queue = make_queue(context);
    cl_program program = make_program(context);
    cl_kernel kernel = clCreateKernel(program, "scale", NULL);
    for (int level = 0; level < 2; level++) {
        const size_t *global = levels[level];
        // launch: kernel=scale; dim=2; global=64 or 256, 32 or 256; local=NULL
        clEnqueueNDRangeKernel(queue, kernel, 2, NULL, global, NULL, 0, NULL, NULL);
    }
    return 0;
}
