// Static members have default arguments in their class only, and overloads.
#include "common.h"

struct Util {
    static cl_program build(cl_context context, const char *text, const char *options = "-DN=4");
    static size_t size(int items, int factor = 2);
    static size_t pick(int a);
    static size_t pick(int a, int b);
    static size_t which(int number);
    static size_t which(const char *name);
    int scaled(int items, int factor = 16);
};

cl_program Util::build(cl_context context, const char *text, const char *options)
{
    // program: sources="kernel void scale() {}"; kernels=scale; options=-DN=4
    cl_program program = clCreateProgramWithSource(context, 1, &text, NULL, NULL);
    clBuildProgram(program, 0, NULL, options, NULL, NULL);
    return program;
}
size_t Util::size(int items, int factor) { return items * factor; }
size_t Util::pick(int a) { return a; }
size_t Util::pick(int a, int b) { return a + b; }
size_t Util::which(int) { return 4; }
size_t Util::which(const char *) { return 8; }
int Util::scaled(int items, int factor) { return items * factor; }

int main()
{
    cl_context context = make_context();
    cl_command_queue queue = make_queue(context);
    cl_program program = Util::build(context, "kernel void scale() {}");
    cl_kernel kernel = clCreateKernel(program, "scale", NULL);
    Util util;
    size_t global[3] = {Util::size(8), Util::pick(4, 5), Util::pick(3)};
    size_t local[3] = {Util::which("x"), Util::which(7), (size_t)util.scaled(2)};
    // launch: kernel=scale; dim=3; global=16, 9, 3; local=8, 4, 32
    clEnqueueNDRangeKernel(queue, kernel, 3, NULL, global, local, 0, NULL, NULL);
}
