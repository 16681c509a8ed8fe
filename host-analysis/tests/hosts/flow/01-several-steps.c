// A size is made in several statements.
#include "common.h"

int main(int argc, char **argv)
{
    cl_context context = make_context();
    cl_command_queue queue = make_queue(context);
    cl_program program = make_program(context);
    cl_kernel kernel = clCreateKernel(program, "scale", NULL);
    int n = atoi(argv[1]);
    size_t local = 256;
    size_t global = n / local;
    global = global + 1;
    global *= local;
    // launch: kernel=scale; dim=1; global=((n / 256) + 1) * 256 {multiple_of 256, at_least n};
    //   local=256
    clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, &local, 0, NULL, NULL);
    return 0;
}
