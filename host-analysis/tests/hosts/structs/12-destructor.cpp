// A destructor changes a size at the end of a block.
#include "common.h"

struct Restore {
    Restore(size_t *place, size_t value) : place_(place), value_(value) {}
    ~Restore() { *place_ = value_; }
    size_t *place_;
    size_t value_;
};

int main()
{
    cl_context context = make_context();
    cl_command_queue queue = make_queue(context);
    cl_program program = make_program(context);
    cl_kernel kernel = clCreateKernel(program, "scale", NULL);
    size_t global = 1024, local = 16;
    {
        Restore restore(&local, 8);
        local = 64;
    }
    // launch: kernel=scale; dim=1; global=1024; local=8
    clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, &local, 0, NULL, NULL);
    return 0;
}
