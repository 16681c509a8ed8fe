// An object is made by make_unique; its class has a base.
#include "common.h"
#include <memory>

struct Base {
    cl_command_queue queue = make_queue(make_context());
    size_t global = 96;
};
struct Scaler : Base {
    explicit Scaler(const char *name) : kernel(clCreateKernel(make_program(make_context()), name, NULL)) {}
    void run()
    {
        // launch: kernel=scale; dim=1; global=48; local=48
        clEnqueueNDRangeKernel(make_queue(make_context()), kernel, 1, NULL, &size, &size, 0, NULL, NULL);
    }
    cl_kernel kernel;
    size_t size = 48;
};

int main()
{
    std::unique_ptr<Scaler> scaler = std::make_unique<Scaler>("scale");
    scaler->run();
    return 0;
}
