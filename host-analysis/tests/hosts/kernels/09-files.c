// Kernel and queue are made in one file, launched in another.
// with: 09-files-run.c
#include "common.h"

extern void run(int rounds);

cl_kernel kernel;
cl_command_queue queue;
size_t work_group = 8;

int main(int argc, char **argv)
{
    cl_context context = make_context();
    queue = make_queue(context);
    kernel = clCreateKernel(make_program(context), "scale", NULL);
    work_group = 32;
    run(argc);
    return 0;
}
