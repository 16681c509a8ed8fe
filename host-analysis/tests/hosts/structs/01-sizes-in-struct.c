// Sizes and handles are fields of a struct that is passed by its address.
#include "common.h"

struct state {
    cl_command_queue queue;
    cl_kernel kernel;
    struct {
        size_t global[3];
        size_t local[3];
    } range;
    unsigned dimensions;
};

static void set_up(struct state *s)
{
    s->range.global[0] = 64;
    s->range.global[1] = 32;
    s->range.local[0] = s->range.local[1] = 8;
    s->dimensions = 2;
}

static void run(const struct state *s)
{
    // launch: kernel=scale; dim=2; global=64, 32; local=8, 8
    clEnqueueNDRangeKernel(s->queue, s->kernel, s->dimensions, NULL, s->range.global, s->range.local, 0, NULL, NULL);
}

int main(void)
{
    struct state state;
    cl_context context = make_context();
    state.queue = make_queue(context);
    state.kernel = clCreateKernel(make_program(context), "scale", NULL);
    set_up(&state);
    run(&state);
    return 0;
}
