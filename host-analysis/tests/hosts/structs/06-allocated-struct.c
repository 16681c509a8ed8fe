// The state is allocated, and holds its kernels in an array.
#include "common.h"

typedef struct solver {
    cl_kernel kernels[2];
    size_t *sizes;
    int count;
} solver;

static solver *new_solver(cl_program program)
{
    solver *s = (solver *)malloc(sizeof(solver));
    s->kernels[0] = clCreateKernel(program, "sweep", NULL);
    s->kernels[1] = clCreateKernel(program, "norm", NULL);
    s->count = 2;
    s->sizes = (size_t *)malloc(2 * sizeof(size_t));
    s->sizes[0] = 128;
    s->sizes[1] = 8;
    return s;
}

int main(void)
{
    cl_context context = make_context();
    cl_command_queue queue = make_queue(context);
    cl_program program = make_program(context);
    solver *s = new_solver(program);
    // launch: kernel=sweep; dim=1; global=128; local=8
    clEnqueueNDRangeKernel(queue, s->kernels[0], 1, NULL, &s->sizes[0], &s->sizes[1], 0, NULL, NULL);
    // launch: kernel=norm; dim=2; global=128, 8; local=NULL
    clEnqueueNDRangeKernel(queue, s->kernels[s->count - 1], s->count, NULL, s->sizes, NULL, 0, NULL, NULL);
    return 0;
}
