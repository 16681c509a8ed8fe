// A member is a reference to a variable of the caller.
#include "common.h"

struct Tuner {
    explicit Tuner(size_t &group) : group_(group) {}
    void tune() { group_ = 128; }
    size_t &group_;
};

int main()
{
    cl_context context = make_context();
    cl_command_queue queue = make_queue(context);
    cl_program program = make_program(context);
    cl_kernel kernel = clCreateKernel(program, "scale", NULL);
    size_t global = 1024, local = 16;
    Tuner tuner(local);
    tuner.tune();
    // launch: kernel=scale; dim=1; global=1024; local=local
    clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, &local, 0, NULL, NULL);
    return 0;
}
