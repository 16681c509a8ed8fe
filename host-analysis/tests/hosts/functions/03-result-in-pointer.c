// A function gives sizes back through pointers. (Its result and they belong together, but are not
// seen so: 0 does not happen.)
#include "common.h"

static int choose_sizes(int n, size_t *global, size_t *local)
{
    if (n <= 0)
        return -1;
    *local = 128;
    *global = (n + *local - 1) / *local * *local;
    return 0;
}

int main(int argc, char **argv)
{
    cl_context context = make_context();
    cl_command_queue queue = make_queue(context);
    cl_program program = make_program(context);
    cl_kernel kernel = clCreateKernel(program, "scale", NULL);
    int n = argc > 1 ? atoi(argv[1]) : 1;
    size_t g = 0, l = 0;
    if (choose_sizes(n, &g, &l) != 0)
        return 1;
    // launch: kernel=scale; dim=1; local=0 or 128;
    //   global=0 or 128 or (((n + 128) - 1) / 128) * 128
    clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &g, &l, 0, NULL, NULL);
    return 0;
}
