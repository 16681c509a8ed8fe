// Each thread gets what it needs in a struct, which main fills and goes on with.
#include "common.h"
#include <pthread.h>

struct job {
    cl_command_queue queue;
    cl_kernel kernel;
    size_t local;
    int rounds, done;
};

static void *work(void *data)
{
    struct job *job = data;
    size_t global = 1024;
    float x = 0;
    for (int i = 0; i < job->rounds; i++)
        x += i;
    // launch: kernel=scale; dim=1; global=1024; local=8 or 16 or 32 or 64
    clEnqueueNDRangeKernel(job->queue, job->kernel, 1, NULL, &global, &job->local, 0, NULL, NULL);
    job->done = x > 0;
    return NULL;
}

static void *with_number(void *data)
{
    size_t global = 1024, local = 4 << (long)data;
    // launch: kernel=?; dim=1; global=1024; local=4 or 8
    clEnqueueNDRangeKernel(NULL, NULL, 1, NULL, &global, &local, 0, NULL, NULL);
    return NULL;
}

int main(int argc, char **argv)
{
    cl_context context = make_context();
    cl_program program = make_program(context);
    pthread_t threads[6];
    struct job jobs[4];
    for (int i = 0; i < 4; i++) {
        jobs[i].queue = make_queue(context);
        jobs[i].kernel = clCreateKernel(program, "scale", NULL);
        jobs[i].local = 8;
        jobs[i].rounds = argc * i;
        pthread_create(&threads[i], NULL, work, &jobs[i]);
        jobs[i].local = 8 << i;
    }
    for (long i = 0; i < 2; i++)
        pthread_create(&threads[4 + i], NULL, with_number, (void *)i);
    for (int i = 0; i < 6; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
