// Arguments that a helper takes from `...`: as many as it is told, as a format says, and up to a last one.
#include "common.h"
#include <stdarg.h>

static void set_formatted(cl_kernel kernel, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    for (cl_uint i = 0; format[i] != 0; i++) {
        if (format[i] == 'm') {
            cl_mem memory = va_arg(list, cl_mem);
            clSetKernelArg(kernel, i, sizeof memory, &memory);
        } else {
            int number = va_arg(list, int);
            clSetKernelArg(kernel, i, sizeof number, &number);
        }
    }
    va_end(list);
}

static void set_all(cl_kernel kernel, ...)
{
    va_list list;
    va_start(list, kernel);
    cl_uint i = 0;
    void *value;
    while ((value = va_arg(list, void *)) != NULL) {
        size_t size = va_arg(list, size_t);
        clSetKernelArg(kernel, i++, size, value);
    }
    va_end(list);
}

int main(int argc, char **argv)
{
    cl_context context = make_context();
    cl_command_queue queue = make_queue(context);
    cl_program program = make_program(context);
    cl_kernel kernel = clCreateKernel(program, "scale", NULL);
    cl_mem data = clCreateBuffer(context, CL_MEM_READ_WRITE, 4096, NULL, NULL);
    size_t global = 1024, local = 64;
    int n = 1000;
    set_formatted(kernel, "mi", data, n);
    // launch: kernel=scale; dim=1; global=1024; local=64; 0=main::data; 1=1000
    clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, &local, 0, NULL, NULL);
    n = 2000;
    set_all(kernel, &data, sizeof data, &n, sizeof n, NULL);
    // launch: kernel=scale; dim=1; global=1024; local=64; 0=main::data; 1=2000
    clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, &local, 0, NULL, NULL);
    set_formatted(kernel, argv[1], data, n);
    // launch: kernel=scale; dim=1; global=1024; local=64; 0=?; 1=?
    clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, &local, 0, NULL, NULL);
    return argc;
}
