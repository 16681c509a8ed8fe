// The value of `?:` has the type that both sides together have, also where the other side is never taken.
#include "common.h"

#define MINUS(n) (-(n))

unsigned given(void) { return 7; }
double library(double);

int main(int argc, char **argv)
{
    cl_context context = make_context();
    cl_command_queue queue = make_queue(context);
    cl_kernel kernel = clCreateKernel(make_program(context), "k", NULL);
    int yes = argc > 1, minus = -1;
    unsigned eight = 8;
    char small = 127;

    size_t global = (yes ? minus : eight) + (size_t)1;
    // launch: kernel=k; dim=1; global=9 or 4294967296; local=NULL
    clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, NULL, 0, NULL, NULL);

    long wide = 1 ? -1 : eight;
    global = wide;
    // launch: kernel=k; dim=1; global=4294967295; local=NULL
    clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, NULL, 0, NULL, NULL);

    wide = 1 ? MINUS(1) : given();
    global = wide;
    // launch: kernel=k; dim=1; global=4294967295; local=NULL
    clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, NULL, 0, NULL, NULL);

    global = (1 ? 7 : 2.0) / 2 * 2;
    // launch: kernel=k; dim=1; global=7; local=NULL
    clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, NULL, 0, NULL, NULL);

    global = (eight > 4 ? eight : 4) / 2;
    // launch: kernel=k; dim=1; global=4; local=NULL
    clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, NULL, 0, NULL, NULL);

    global = (yes ? small : small) + 1;
    // launch: kernel=k; dim=1; global=128; local=NULL
    clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, NULL, 0, NULL, NULL);

    // Nothing says what the other side is.
    global = (1 ? 7 : library(1)) / 2 * 2;
    // launch: kernel=k; dim=1; global=? the other side; local=NULL
    clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, NULL, 0, NULL, NULL);
    return 0;
}
