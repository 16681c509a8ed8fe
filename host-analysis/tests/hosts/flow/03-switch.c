// A switch with a case that falls through.
#include "common.h"

int main(int argc, char **argv)
{
    cl_context context = make_context();
    cl_command_queue queue = make_queue(context);
    cl_program program = make_program(context);
    cl_kernel kernel = clCreateKernel(program, "scale", NULL);
    size_t global = 512, local = 1;
    switch (atoi(argv[1])) {
    case 0:
        local = 8;
        break;
    case 1:
        local = 16;
        /* fall through */
    case 2:
        local *= 2;
        break;
    default:
        return 1;
    }
    // launch: kernel=scale; dim=1; global=512; local=2 or 8 or 32
    clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, &local, 0, NULL, NULL);
    return 0;
}
