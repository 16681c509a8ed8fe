// A vector of structs with kernel and sizes, gone through by reference.
#include "common.h"
#include <vector>

struct Stage {
    cl_kernel kernel;
    size_t global, local;
};

int main()
{
    cl_context context = make_context();
    cl_program program = make_program(context);
    cl_command_queue queue = make_queue(context);
    std::vector<Stage> stages;
    stages.push_back({clCreateKernel(program, "one", NULL), 64, 16});
    stages.push_back({clCreateKernel(program, "two", NULL), 128, 16});
    stages[1].global *= 2;
    for (auto &stage : stages) {
        // launch: kernel=one|two; dim=1; global=64 or 256; local=16
        clEnqueueNDRangeKernel(queue, stage.kernel, 1, NULL, &stage.global, &stage.local, 0, NULL, NULL);
    }
    return 0;
}
