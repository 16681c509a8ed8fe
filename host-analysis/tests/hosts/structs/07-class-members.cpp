// A class holds queue, kernel and sizes; the constructor sets them.
#include "common.h"

class Scaler {
public:
    Scaler(cl_context context, size_t items) : local_(64), items_(items)
    {
        queue_ = make_queue(context);
        kernel_ = clCreateKernel(make_program(context), "scale", NULL);
    }
    void run()
    {
        size_t global = (items_ + local_ - 1) / local_ * local_;
        // launch: kernel=scale; dim=1; global=320; local=64
        clEnqueueNDRangeKernel(queue_, kernel_, 1, NULL, &global, &local_, 0, NULL, NULL);
    }

private:
    cl_command_queue queue_;
    cl_kernel kernel_;
    size_t local_, items_;
};

int main()
{
    Scaler scaler(make_context(), 300);
    scaler.run();
    return 0;
}
