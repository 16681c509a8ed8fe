// What is volatile may change between two statements.
#include "common.h"

volatile size_t never_set;
struct { volatile size_t n; size_t plain; } registers = { 8, 16 };

int main(void)
{
    cl_context context = make_context();
    cl_command_queue queue = make_queue(context);
    cl_kernel kernel = clCreateKernel(make_program(context), "k", NULL);
    volatile size_t own = 32;
    volatile size_t *pointer = &own;
    size_t first = own, second = never_set, third = registers.n, fourth = *pointer;
    // launch: kernel=k; dim=1; global=own {input own}; local=16
    clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &first, &registers.plain, 0, NULL, NULL);
    // launch: kernel=k; dim=1; global=never_set {input never_set}; local=NULL
    clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &second, NULL, 0, NULL, NULL);
    // launch: kernel=k; dim=1; global=registers.n; local=NULL
    clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &third, NULL, 0, NULL, NULL);
    // launch: kernel=k; dim=1; global=*pointer; local=NULL
    clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &fourth, NULL, 0, NULL, NULL);
    return 0;
}
