// Steps are functions in a table.
#include "common.h"

static cl_command_queue queue;
static cl_kernel kernel;

static void launch(size_t global)
{
    // launch: kernel=scale; dim=1; global=64 or 256; local=NULL
    clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, NULL, 0, NULL, NULL);
}

static void narrow(void) { launch(64); }
static void wide(void) { launch(256); }

static void (*const steps[])(void) = {narrow, wide};

int main(void)
{
    cl_context context = make_context();
    queue = make_queue(context);
    kernel = clCreateKernel(make_program(context), "scale", NULL);
    for (int i = 0; i < 2; i++)
        steps[i]();
    return 0;
}
