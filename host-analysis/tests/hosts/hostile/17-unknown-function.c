// Functions are called through a pointer that is not known, too.
#include "common.h"

struct operation {
    void (*run)(cl_kernel kernel, size_t local);
};
static cl_command_queue queue;
extern struct operation *find(const char *name);

static void run(cl_kernel kernel, size_t local)
{
    size_t global = 1024;
    // launch: kernel=? parameter; dim=1; global=1024; local=64 or local
    clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, &local, 0, NULL, NULL);
}

static void once(cl_kernel kernel, size_t local, int unused)
{
    size_t global = 1024;
    // launch: kernel=scale; dim=1; global=1024; local=64
    clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, &local, 0, NULL, NULL);
}
static const struct operation mine = {run};

int main(void)
{
    cl_context context = make_context();
    queue = make_queue(context);
    cl_kernel kernel = clCreateKernel(make_program(context), "scale", NULL);
    mine.run(kernel, 64);
    once(kernel, 64, 0);
    find("run")->run(kernel, 16);
    return 0;
}
