// A function of the host is called by one that is not given: it may have run.
#include "common.h"

extern "C" void for_each_device(void (*visit)(cl_device_id));

static size_t local_size = 16;
static void visit(cl_device_id) { local_size = 64; }

int main()
{
    cl_context context = make_context();
    cl_command_queue queue = make_queue(context);
    cl_program program = make_program(context);
    cl_kernel kernel = clCreateKernel(program, "scale", NULL);
    for_each_device(visit);
    size_t global = 1024;
    // launch: kernel=scale; dim=1; global=1024; local=16 or 64
    clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, &local_size, 0, NULL, NULL);
    return 0;
}
