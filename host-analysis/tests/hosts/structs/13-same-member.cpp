// A class and its base have a member of one name each. They are not told apart, and neither is taken for
// the other; a member that only one of them has is known.
#include "common.h"

struct Sizes {
    size_t n;
    size_t local;
    Sizes() : n(64), local(16) {}
    size_t inner() const { return n; }
};

template <class T> struct Typed : Sizes {
    T first;
};

struct Shape : public Typed<int> {
    size_t n;
    Shape() : n(128) {}
    size_t own() const { return n; }
};

struct Other {
    size_t n;
};

int main()
{
    cl_context context = make_context();
    cl_command_queue queue = make_queue(context);
    cl_kernel kernel = clCreateKernel(make_program(context), "k", NULL);
    Shape shape;
    size_t global = shape.inner();
    // launch: kernel=k; dim=1; global=n; local=16
    clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, &shape.local, 0, NULL, NULL);
    size_t second = shape.own();
    // launch: kernel=k; dim=1; global=n; local=NULL
    clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &second, NULL, 0, NULL, NULL);
    Sizes &base = shape;
    base.n = 32;
    size_t third = shape.n;
    // launch: kernel=k; dim=1; global=shape.n; local=NULL
    clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &third, NULL, 0, NULL, NULL);
    Sizes copy = shape;
    size_t fourth = copy.n;
    // launch: kernel=k; dim=1; global=copy.n; local=NULL
    clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &fourth, NULL, 0, NULL, NULL);
    shape.Sizes::local = 8;
    Other other = { 256 };
    // launch: kernel=k; dim=1; global=256; local=8
    clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &other.n, &shape.local, 0, NULL, NULL);
    return 0;
}
