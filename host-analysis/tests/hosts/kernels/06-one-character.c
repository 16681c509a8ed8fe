// One character of a name changes.
#include "common.h"

int main(int argc, char **argv)
{
    cl_context context = make_context();
    cl_command_queue queue = make_queue(context);
    cl_program program = make_program(context);
    char name[] = "pass0";
    name[4] = '0' + argc;
    cl_kernel kernel = clCreateKernel(program, name, NULL);
    size_t global = 64;
    // launch: kernel=?; dim=1; global=64; local=NULL
    clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, NULL, 0, NULL, NULL);
    return 0;
}
