// The remainder is added, in two steps.
#include "common.h"

int main(int argc, char **argv)
{
    cl_context context = make_context();
    cl_command_queue queue = make_queue(context);
    cl_program program = make_program(context);
    cl_kernel kernel = clCreateKernel(program, "scale", NULL);
    size_t n = strtoul(argv[1], NULL, 10), local = 32;
    size_t global = n;
    if (n % local)
        global += local - n % local;
    // launch: kernel=scale; dim=1; global=n or n + (32 - (n % 32)); local=32
    clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, &local, 0, NULL, NULL);
    return 0;
}
