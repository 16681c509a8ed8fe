// A variable that a pointer at file scope points to: files that are not given know the pointer.
#include "common.h"

extern size_t *shared;
size_t *shared;
static size_t *own;
void elsewhere(void);

int main(void)
{
    cl_context context = make_context();
    cl_command_queue queue = make_queue(context);
    cl_kernel kernel = clCreateKernel(make_program(context), "k", NULL);
    size_t global = 1024, local = 64;
    shared = &global;
    own = &local;
    elsewhere();
    // launch: kernel=k; dim=1; global=global {input global}; local=64
    clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, &local, 0, NULL, NULL);
    return 0;
}
