// A function is found by its name.
#include "common.h"
#include <dlfcn.h>

static cl_command_queue queue;

void run(cl_kernel kernel, size_t local)
{
    size_t global = 1024;
    // launch: kernel=? parameter; dim=1; global=1024; local=64 or local
    clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, &local, 0, NULL, NULL);
}

int main(int argc, char **argv)
{
    cl_context context = make_context();
    queue = make_queue(context);
    cl_kernel kernel = clCreateKernel(make_program(context), "scale", NULL);
    run(kernel, 64);
    void (*found)(cl_kernel, size_t) = (void (*)(cl_kernel, size_t))dlsym(NULL, argv[1]);
    found(kernel, 16);
    return 0;
}
