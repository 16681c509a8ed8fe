// A function of the user's that has the name of one in a header of the system.
#include "common.h"

double hypot(double x, double y);

struct sizes {
    size_t global;
};
void keep(struct sizes *sizes);

int main(void)
{
    cl_context context = make_context();
    cl_command_queue queue = make_queue(context);
    cl_kernel kernel = clCreateKernel(make_program(context), "k", NULL);
    struct sizes sizes;
    keep(&sizes);
    sizes.global = 64;
    lrint(2.0);
    // launch: kernel=k; dim=1; global=64; local=NULL
    clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &sizes.global, NULL, 0, NULL, NULL);
    hypot(1.0, 2.0);
    // launch: kernel=k; dim=1; global=? `hypot`; local=NULL
    clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &sizes.global, NULL, 0, NULL, NULL);
    return 0;
}
