#include <CL/cl.h>
#include <fstream>
#include <sstream>
#include <string>

namespace {
const size_t TILE = 16;
const char *names[] = {"blur", "sharpen"};
cl_context context;
cl_command_queue queue;
cl_program program;
cl_kernel kernels[2];
}

void gpu_open(const char *file)
{
    std::ifstream in(file);
    std::stringstream buffer;
    buffer << in.rdbuf();
    std::string text = buffer.str();
    const char *source = text.c_str();
    size_t length = text.size();
    program = ::clCreateProgramWithSource(context, 1, &source, &length, nullptr);
    std::string options = "-DTILE=" + std::to_string(TILE);
    clBuildProgram(program, 0, nullptr, options.c_str(), nullptr, nullptr);
    for (int i = 0; i < 2; i++)
        kernels[i] = clCreateKernel(program, names[i], nullptr);
}

static size_t round_up(size_t n, size_t to)
{
    return (n + to - 1) / to * to;
}

void gpu_step(int width, int height, int steps)
{
    size_t global[2] = {round_up(width, TILE), round_up(height, TILE)};
    size_t local[2] = {TILE, TILE};
    cl_mem in = clCreateBuffer(context, CL_MEM_READ_WRITE, width * height * 4, nullptr, nullptr);
    cl_mem out = clCreateBuffer(context, CL_MEM_READ_WRITE, width * height * 4, nullptr, nullptr);
    for (int step = 0; step < steps; step++) {
        clSetKernelArg(kernels[0], 0, sizeof(cl_mem), &in);
        clSetKernelArg(kernels[0], 1, sizeof(cl_mem), &out);
        clSetKernelArg(kernels[0], 2, sizeof(int), &width);
        if (clEnqueueNDRangeKernel(queue, kernels[0], 2, nullptr, global, local, 0, nullptr, nullptr))
            throw std::string("clEnqueueNDRangeKernel");
        std::swap(in, out);
    }
    auto enqueue = &clEnqueueTask;
    enqueue(queue, kernels[1], 0, nullptr, nullptr);
}
