// A copy of a struct is changed, not the struct.
#include "common.h"

struct range {
    size_t global, local;
};

static struct range smaller(struct range r)
{
    r.global /= 2;
    r.local = 4;
    return r;
}

int main(void)
{
    cl_context context = make_context();
    cl_command_queue queue = make_queue(context);
    cl_program program = make_program(context);
    cl_kernel kernel = clCreateKernel(program, "scale", NULL);
    struct range whole = {128, 16};
    struct range half = smaller(whole);
    // launch: kernel=scale; dim=1; global=128; local=16
    clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &whole.global, &whole.local, 0, NULL, NULL);
    // launch: kernel=scale; dim=1; global=64; local=4
    clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &half.global, &half.local, 0, NULL, NULL);
    return 0;
}
