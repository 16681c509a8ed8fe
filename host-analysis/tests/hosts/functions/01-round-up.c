// A function of the host rounds up.
#include "common.h"

static size_t round_up(int group, int items)
{
    int rest = items % group;
    if (rest == 0)
        return items;
    return items + group - rest;
}

int main(void)
{
    cl_context context = make_context();
    cl_command_queue queue = make_queue(context);
    cl_program program = make_program(context);
    cl_kernel kernel = clCreateKernel(program, "scale", NULL);
    size_t local = 48;
    size_t global = round_up(local, 1000);
    // launch: kernel=scale; dim=1; global=1008; local=48
    clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, &local, 0, NULL, NULL);
    return 0;
}
