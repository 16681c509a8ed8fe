// A runner holds a pointer to the base class of what it runs.
#include "common.h"
#include <memory>

class Benchmark {
public:
    virtual ~Benchmark() {}
    virtual void initialize() = 0;
    virtual void run() = 0;
    virtual void clean_up() {}
};

class Filter : public Benchmark {
protected:
    size_t items = 0;

public:
    void initialize() override { items = 512; }
};

class DeviceFilter : public Filter {
    cl_command_queue queue;
    cl_kernel kernel;
    size_t local;
    void make_kernels()
    {
        cl_context context = make_context();
        queue = make_queue(context);
        kernel = clCreateKernel(make_program(context), "filter", NULL);
        local = 64;
    }

public:
    void initialize() override
    {
        Filter::initialize();
        make_kernels();
    }
    void run() override
    {
        // launch: kernel=filter; dim=1; global=0 or 512; local=64
        clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, &local, 0, NULL, NULL);
    }
};

class Runner {
    Benchmark *benchmark;

public:
    explicit Runner(Benchmark *benchmark) : benchmark(benchmark) {}
    void run()
    {
        benchmark->initialize();
        for (int i = 0; i < 3; i++)
            benchmark->run();
        benchmark->clean_up();
    }
};

int main()
{
    std::unique_ptr<DeviceFilter> filter(new DeviceFilter());
    Runner runner(filter.get());
    runner.run();
}
