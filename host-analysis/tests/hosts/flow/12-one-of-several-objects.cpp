// A method is called of one of several objects: which one depends on the arguments. What the
// program keeps elsewhere is not touched by it.
#include "common.h"

class Input {
public:
    virtual ~Input() {}
    virtual size_t count() = 0;
};

class Generated : public Input {
public:
    size_t count() { return 64; }
};

class Recorded : public Input {
    size_t length;

public:
    Recorded() { length = 256; }
    size_t count() { return length; }
};

size_t group;

static void regroup() { group = 32; }

int main(int argc, char **argv)
{
    cl_context context = make_context();
    cl_command_queue queue = make_queue(context);
    cl_kernel kernel = clCreateKernel(make_program(context), "scale", NULL);
    Input *input = NULL;
    group = 8;
    if (argc > 1)
        input = new Generated();
    else
        input = new Recorded();
    size_t global = input->count();
    // launch: kernel=scale; dim=1; global=64 or 256; local=8
    clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, &group, 0, NULL, NULL);
    regroup();
    // launch: kernel=scale; dim=1; global=64 or 256; local=32
    clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, &group, 0, NULL, NULL);
    return 0;
}
