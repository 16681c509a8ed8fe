// Another thread assigns.
#include "common.h"
#include <pthread.h>

static size_t local = 64;

static void *work(void *unused)
{
    local = 32;
    return unused;
}

int main(void)
{
    cl_context context = make_context();
    cl_command_queue queue = make_queue(context);
    cl_program program = make_program(context);
    cl_kernel kernel = clCreateKernel(program, "scale", NULL);
    size_t global = 1024;
    pthread_t thread;
    pthread_create(&thread, NULL, work, NULL);
    local = 16;
    pthread_join(thread, NULL);
    // launch: kernel=scale; dim=1; global=1024; local=? any time
    clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, &local, 0, NULL, NULL);
    return 0;
}
