// A table of launches at file scope, with designated initialisers.
#include "common.h"

typedef struct {
    const char *name;
    size_t items, group;
} step_t;

static const step_t steps[] = {
    {.name = "first", .items = 256, .group = 16},
    {.name = "second", .items = 512, .group = 32},
};

int main(void)
{
    cl_context context = make_context();
    cl_command_queue queue = make_queue(context);
    cl_program program = make_program(context);
    for (unsigned i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
        cl_kernel kernel = clCreateKernel(program, steps[i].name, NULL);
        // launch: kernel=first|second; dim=1; global=256 or 512; local=16 or 32; changes=global 0, local 0
        clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &steps[i].items, &steps[i].group, 0, NULL, NULL);
        clReleaseKernel(kernel);
    }
    return 0;
}
