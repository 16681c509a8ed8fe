// A function's address is given to code that is not given, in a struct.
#include "common.h"
#include <signal.h>

struct operation {
    void (*run)(int signal);
};
static cl_command_queue queue;
static cl_kernel kernel;
extern void keep(const struct operation *operation);

static void run(int rounds)
{
    size_t global = 1024, local = 8 * rounds;
    // launch: kernel=scale; dim=1; global=1024; local=64 or 8 * rounds
    clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, &local, 0, NULL, NULL);
}

static void handle(int signal)
{
    static size_t local = 64;
    size_t global = 1024;
    // launch: kernel=scale; dim=1; global=1024; local=?
    clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, &local, 0, NULL, NULL);
    local /= 2;
}

int main(void)
{
    cl_context context = make_context();
    struct operation operation = {run};
    struct sigaction action;
    queue = make_queue(context);
    kernel = clCreateKernel(make_program(context), "scale", NULL);
    run(8);
    keep(&operation);
    memset(&action, 0, sizeof action);
    action.sa_handler = handle;
    sigaction(SIGUSR1, &action, NULL);
    for (;;)
        getchar();
}
