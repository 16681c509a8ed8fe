// Options come from arguments behind "...", through vsnprintf, va_copy and a second function.
#include "common.h"
#include <stdarg.h>

static char *format(const char *how, va_list all)
{
    va_list again;
    va_copy(again, all);
    int needed = 1 + vsnprintf(NULL, 0, how, all);
    char *text = malloc(needed);
    vsnprintf(text, needed, how, again);
    va_end(again);
    return text;
}

static cl_program build(cl_context context, const char *source, const char *how, ...)
{
    // program: options=-DN=8 -DT=float; kernels=scale
    cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, NULL);
    va_list all;
    va_start(all, how);
    char *options = format(how, all);
    va_end(all);
    clBuildProgram(program, 0, NULL, options, NULL, NULL);
    free(options);
    return program;
}

static size_t last_of(int count, ...)
{
    va_list all;
    va_start(all, count);
    cl_context *first = va_arg(all, cl_context *);
    unsigned last = va_arg(all, unsigned);
    va_end(all);
    return last;
}

static void halve(int count, ...)
{
    va_list all;
    va_start(all, count);
    for (int i = 0; i < count; i++) {
        size_t *size = va_arg(all, size_t *);
        *size /= 2;
    }
    va_end(all);
}

int main(int argc, char **argv)
{
    cl_context context = make_context();
    cl_command_queue queue = make_queue(context);
    const char *first = "kernel void scale() {}";
    const char *second = "kernel void add() {}";
    cl_kernel scale = clCreateKernel(build(context, first, "-DN=%d -DT=%s", 8, "float"), "scale", NULL);
    cl_kernel add = clCreateKernel(build(context, second, "-w"), "add", NULL);
    size_t global = last_of(2, &context, 64u), local = 32;
    // launch: kernel=scale; dim=1; global=64; local=32
    clEnqueueNDRangeKernel(queue, scale, 1, NULL, &global, &local, 0, NULL, NULL);
    halve(1, &local);
    // launch: kernel=add; dim=1; global=64; local=16
    clEnqueueNDRangeKernel(queue, add, 1, NULL, &global, &local, 0, NULL, NULL);
    size_t third = 8;
    halve(argc, &local, &third);
    // launch: kernel=add; dim=1; global=64; local=third
    clEnqueueNDRangeKernel(queue, add, 1, NULL, &global, &third, 0, NULL, NULL);
    return 0;
}
