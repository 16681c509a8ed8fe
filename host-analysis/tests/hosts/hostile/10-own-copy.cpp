// A class copies its objects in its own way.
#include "common.h"

struct Range {
    explicit Range(size_t n) : size(n) {}
    Range &operator=(const Range &other)
    {
        size = other.size * 2;
        return *this;
    }
    size_t size;
};

int main()
{
    cl_context context = make_context();
    cl_command_queue queue = make_queue(context);
    cl_program program = make_program(context);
    cl_kernel kernel = clCreateKernel(program, "scale", NULL);
    Range one(64), two(1);
    two = one;
    // launch: kernel=scale; dim=1; global=? copies in its own way; local=NULL
    clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &two.size, NULL, 0, NULL, NULL);
    return 0;
}
