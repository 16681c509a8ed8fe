// What objects have from their bases: first values, constructors that are called and those that
// nobody calls.
#include "common.h"

static cl_command_queue queue;
static cl_kernel kernel;

struct Initialised {
    size_t items = 64;
    void shrink(int times) { if (times > 1) items = 16; }
};
struct OfInitialised : Initialised {
    int unused = 3;
    void launch()
    {
        size_t global = 1024;
        // launch: kernel=scale; dim=1; global=1024; local=16 or 64
        clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, &items, 0, NULL, NULL);
    }
};

struct Called {
    size_t count;
    Called(size_t count) : count(count) {}
    void reduce(int times) { if (times > 1) count = 16; }
};
struct OfCalled : Called {
    int unused;
    OfCalled() : Called(32), unused(4) {}
    void start()
    {
        size_t global = 512;
        // launch: kernel=scale; dim=1; global=512; local=16 or 32
        clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, &count, 0, NULL, NULL);
    }
};

struct Uncalled {
    size_t length;
    Uncalled() { length = 128; }
    void cut(int times) { if (times > 1) length = 16; }
};
struct OfUncalled : Uncalled {
    int unused;
    OfUncalled() { unused = 3; }
    void begin()
    {
        size_t global = 256;
        // launch: kernel=scale; dim=1; global=256; local=16 or 128
        clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, &length, 0, NULL, NULL);
    }
};

int main(int argc, char **argv)
{
    queue = make_queue(make_context());
    kernel = clCreateKernel(make_program(make_context()), "scale", NULL);
    OfInitialised initialised;
    initialised.shrink(argc);
    initialised.launch();
    OfCalled called;
    called.reduce(argc);
    called.start();
    OfUncalled *uncalled = new OfUncalled();
    uncalled->cut(argc);
    uncalled->begin();
}
