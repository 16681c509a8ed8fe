// Threads are started in a loop, whose number of rounds is not known, and main works itself.
#include "common.h"
#include <pthread.h>

struct job {
    size_t local;
};
static cl_command_queue queue;
static cl_kernel kernel;

static void *work(void *data)
{
    struct job *job = data;
    size_t global = 1024;
    // launch: kernel=scale; dim=1; global=1024; local=? pointer
    clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, &job->local, 0, NULL, NULL);
    return NULL;
}

int main(int argc, char **argv)
{
    cl_context context = make_context();
    queue = make_queue(context);
    kernel = clCreateKernel(make_program(context), "scale", NULL);
    pthread_t threads[100];
    struct job jobs[100], mine;
    mine.local = 64;
    for (int i = 1; i < argc; i++) {
        jobs[i].local = i;
        pthread_create(&threads[i], NULL, work, &jobs[i]);
    }
    work(&mine);
    return 0;
}
