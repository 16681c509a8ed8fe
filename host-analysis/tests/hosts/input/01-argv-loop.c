// Options of the command line are parsed in a loop.
#include "common.h"

int main(int argc, char **argv)
{
    cl_context context = make_context();
    cl_command_queue queue = make_queue(context);
    cl_program program = make_program(context);
    cl_kernel kernel = clCreateKernel(program, "scale", NULL);
    int n = 1024, group = 64;
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "-n") == 0 && i + 1 < argc)
            n = atoi(argv[++i]);
        else if (strcmp(argv[i], "-g") == 0 && i + 1 < argc)
            group = atoi(argv[++i]);
        else
            return 1;
    }
    size_t global = n, local = group;
    // launch: kernel=scale; dim=1; global=n; local=group
    clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, &local, 0, NULL, NULL);
    return 0;
}
