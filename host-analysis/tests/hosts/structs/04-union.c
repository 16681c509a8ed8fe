// The members of a union share their bytes.
#include "common.h"

union size {
    size_t whole;
    unsigned parts[2];
};

int main(void)
{
    cl_context context = make_context();
    cl_command_queue queue = make_queue(context);
    cl_program program = make_program(context);
    cl_kernel kernel = clCreateKernel(program, "scale", NULL);
    union size size;
    size.whole = 64;
    size.parts[0] = 32;
    // launch: kernel=scale; dim=1; global=? union; local=NULL
    clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &size.whole, NULL, 0, NULL, NULL);
    return 0;
}
