// Threads run methods and functions with their arguments.
#include "common.h"
#include <future>
#include <thread>

struct Worker {
    cl_command_queue queue;
    cl_kernel kernel;
    size_t size;
    void run(size_t local)
    {
        size_t global = 1024;
        // launch: kernel=scale; dim=1; global=1024; local=16 or 64
        clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, &local, 0, NULL, NULL);
    }
    void start()
    {
        std::thread thread(&Worker::run, this, size);
        thread.join();
    }
};

static void add(cl_command_queue queue, cl_kernel kernel, size_t local)
{
    size_t global = 1024;
    // launch: kernel=add; dim=1; global=1024; local=32
    clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, &local, 0, NULL, NULL);
}

int main()
{
    cl_context context = make_context();
    cl_program program = make_program(context);
    Worker worker;
    worker.queue = make_queue(context);
    worker.kernel = clCreateKernel(program, "scale", NULL);
    worker.run(64);
    worker.size = 16;
    worker.start();
    cl_kernel kernel = clCreateKernel(program, "add", NULL);
    auto result = std::async(std::launch::async, add, worker.queue, kernel, 32);
    result.get();
}
