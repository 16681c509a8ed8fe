// A virtual method is called on an object that is not known, too.
#include "common.h"

static cl_command_queue queue;

struct Task {
    virtual ~Task() {}
    virtual void run(cl_kernel kernel, size_t local) = 0;
};
struct Scale : Task {
    void run(cl_kernel kernel, size_t local) override
    {
        size_t global = 1024;
        // launch: kernel=? parameter; dim=1; global=1024; local=64 or local
        clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, &local, 0, NULL, NULL);
    }
};
Task *find(const char *name);

int main()
{
    cl_context context = make_context();
    queue = make_queue(context);
    cl_kernel kernel = clCreateKernel(make_program(context), "scale", NULL);
    Scale scale;
    scale.run(kernel, 64);
    find("scale")->run(kernel, 16);
}
