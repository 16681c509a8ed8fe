// The array of sizes holds int, which is cast: what is read is something else.
#include "common.h"

int main()
{
    cl_context context = make_context();
    cl_command_queue queue = make_queue(context);
    cl_program program = make_program(context);
    cl_kernel kernel = clCreateKernel(program, "scale", NULL);
    int sizes[2] = {64, 1};
    // launch: kernel=scale; dim=1; global=?; local=NULL
    clEnqueueNDRangeKernel(queue, kernel, 1, NULL, (const size_t *)sizes, NULL, 0, NULL, NULL);
    return 0;
}
