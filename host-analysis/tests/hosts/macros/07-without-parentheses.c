// A macro without parentheses binds otherwise than it looks.
#include "common.h"

#define HALO 2
#define WIDTH 30 + HALO
#define ROUND(n) n + 15

int main(void)
{
    cl_context context = make_context();
    cl_command_queue queue = make_queue(context);
    cl_program program = make_program(context);
    cl_kernel kernel = clCreateKernel(program, "scale", NULL);
    size_t plain = WIDTH;
    size_t wrong = WIDTH * 4;
    size_t calls = ROUND(1) * 2;
    // launch: kernel=scale; dim=1; global=32; local=NULL
    clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &plain, NULL, 0, NULL, NULL);
    // launch: kernel=scale; dim=1; global=38; local=NULL
    clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &wrong, NULL, 0, NULL, NULL);
    // launch: kernel=scale; dim=1; global=31; local=NULL
    clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &calls, NULL, 0, NULL, NULL);
    return 0;
}
