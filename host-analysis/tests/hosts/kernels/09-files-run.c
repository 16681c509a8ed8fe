// The second file of a host.
#include "common.h"

extern cl_kernel kernel;
extern cl_command_queue queue;
extern size_t work_group;
static size_t kernel_items = 320;

void run(int rounds)
{
    // launch: kernel=scale; dim=1; global=320; local=32
    clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &kernel_items, &work_group, 0, NULL, NULL);
}
