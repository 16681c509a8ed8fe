// A function that is not given keeps an address; a later one uses it.
#include "common.h"

void keep(size_t *place);
void change_what_was_kept(void);

int main(void)
{
    cl_context context = make_context();
    cl_command_queue queue = make_queue(context);
    cl_program program = make_program(context);
    cl_kernel kernel = clCreateKernel(program, "scale", NULL);
    size_t global = 1024, local = 1;
    keep(&local);
    local = 64;
    change_what_was_kept();
    // launch: kernel=scale; dim=1; global=1024; local=local {input local}
    clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, &local, 0, NULL, NULL);
    return 0;
}
