// Paths on which other sizes are set end before the launch.
#include "common.h"

static void usage(const char *name)
{
    fprintf(stderr, "usage: %s n\n", name);
    exit(1);
}

int main(int argc, char **argv)
{
    cl_context context = make_context();
    cl_command_queue queue = make_queue(context);
    cl_program program = make_program(context);
    cl_kernel kernel = clCreateKernel(program, "scale", NULL);
    size_t global = 640, local = 64;
    if (argc < 2) {
        local = 1;
        usage(argv[0]);
    }
    if (kernel == NULL) {
        global = 0;
        return 1;
    }
    // launch: kernel=scale; dim=1; global=640; local=64
    clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, &local, 0, NULL, NULL);
    return 0;
}
