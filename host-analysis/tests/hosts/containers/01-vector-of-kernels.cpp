// Kernels are pushed into a vector in a loop over their names, and launched by index.
#include "common.h"
#include <string>
#include <vector>

struct Handles {
    std::vector<cl_kernel> kernels;
    cl_command_queue queue;
};
static Handles handles;
static std::string names[2] = {"first", "second"};

static void launch(int index, size_t global)
{
    // launch: kernel=first|second; dim=1; global=64 or 128; local=NULL
    clEnqueueNDRangeKernel(handles.queue, handles.kernels[index], 1, NULL, &global, NULL, 0, NULL, NULL);
}

int main()
{
    cl_context context = make_context();
    cl_program program = make_program(context);
    handles.queue = make_queue(context);
    for (int i = 0; i < 2; i++)
        handles.kernels.push_back(clCreateKernel(program, names[i].c_str(), NULL));
    launch(0, 64);
    launch(1, 128);
    size_t global = 32;
    // launch: kernel=first|second; dim=1; global=32; local=NULL
    clEnqueueNDRangeKernel(handles.queue, handles.kernels.back(), 1, NULL, &global, NULL, 0, NULL, NULL);
    return 0;
}
