// A struct whose address another file keeps gets a pointer to a variable afterwards.
#include "common.h"

struct sizes {
    size_t *global;
};
void keep(struct sizes *sizes);
void elsewhere(void);

int main(void)
{
    cl_context context = make_context();
    cl_command_queue queue = make_queue(context);
    cl_kernel kernel = clCreateKernel(make_program(context), "k", NULL);
    size_t global = 1024, local = 64;
    struct sizes sizes;
    keep(&sizes);
    sizes.global = &global;
    elsewhere();
    // launch: kernel=k; dim=1; global=global {input global}; local=64
    clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, &local, 0, NULL, NULL);
    return 0;
}
