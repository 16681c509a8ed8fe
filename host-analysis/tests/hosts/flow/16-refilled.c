/* A function that nobody given calls finds what was ever stored in a struct, by parts or as a whole. */
#include "common.h"
#include <stdlib.h>

struct config {
    size_t items;
    size_t group;
};
struct config *config;

/* Not among the given files. */
void refill(struct config *config);

void again(cl_command_queue queue, cl_kernel kernel)
{
    // launch: kernel=?; dim=1; global=? refill; local=? refill
    clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &config->items, &config->group, 0, NULL, NULL);
}

int main(void)
{
    cl_context context = make_context();
    cl_command_queue queue = make_queue(context);
    cl_kernel kernel = clCreateKernel(make_program(context), "scale", NULL);
    config = malloc(sizeof *config);
    config->items = 64;
    config->group = 8;
    refill(config);
    config->items = 128;
    config->group = 16;
    // launch: kernel=scale; dim=1; global=128; local=16
    clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &config->items, &config->group, 0, NULL, NULL);
    return 0;
}
