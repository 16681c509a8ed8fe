// The environment may replace a default.
#include "common.h"

int main(void)
{
    cl_context context = make_context();
    cl_command_queue queue = make_queue(context);
    cl_program program = make_program(context);
    cl_kernel kernel = clCreateKernel(program, "scale", NULL);
    size_t global = 512, local = 32;
    const char *given = getenv("WORK_GROUP");
    if (given)
        local = strtoul(given, NULL, 0);
    // launch: kernel=scale; dim=1; global=512; local=32 or local
    clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, &local, 0, NULL, NULL);
    return 0;
}
