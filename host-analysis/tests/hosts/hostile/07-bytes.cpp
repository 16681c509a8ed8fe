// The bytes of a size are written one by one.
#include "common.h"

int main()
{
    cl_context context = make_context();
    cl_command_queue queue = make_queue(context);
    cl_program program = make_program(context);
    cl_kernel kernel = clCreateKernel(program, "scale", NULL);
    size_t global = 1024, local = 256;
    unsigned char *bytes = reinterpret_cast<unsigned char *>(&local);
    bytes[0] = 64;
    bytes[1] = 0;
    // launch: kernel=scale; dim=1; global=1024; local=local {input local}
    clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, &local, 0, NULL, NULL);
    return 0;
}
