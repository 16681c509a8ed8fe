// Which method is called depends on the object.
#include "common.h"

struct Shape {
    virtual ~Shape() {}
    virtual size_t items() const { return 64; }
    size_t rounded() const { return (items() + 15) / 16 * 16; }
};

struct Large : Shape {
    size_t items() const override { return 1000; }
};

int main()
{
    cl_context context = make_context();
    cl_command_queue queue = make_queue(context);
    cl_program program = make_program(context);
    cl_kernel kernel = clCreateKernel(program, "scale", NULL);
    Large large;
    const Shape &shape = large;
    size_t global = shape.items(), rounded = large.rounded();
    // launch: kernel=scale; dim=1; global=1000; local=NULL
    clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, NULL, 0, NULL, NULL);
    // launch: kernel=scale; dim=1; global=1008; local=NULL
    clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &rounded, NULL, 0, NULL, NULL);
    return 0;
}
