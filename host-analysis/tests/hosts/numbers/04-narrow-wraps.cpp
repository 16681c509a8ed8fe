// Narrow types wrap around; 32-bit products do so before they become 64 bits wide.
#include "common.h"

int main()
{
    cl_context context = make_context();
    cl_command_queue queue = make_queue(context);
    cl_program program = make_program(context);
    cl_kernel kernel = clCreateKernel(program, "scale", NULL);
    unsigned char byte = 250;
    byte += 10;
    unsigned a = 65536, b = 65537;
    size_t global = a * b, local = byte;
    // launch: kernel=scale; dim=1; global=65536; local=4
    clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, &local, 0, NULL, NULL);
    return 0;
}
