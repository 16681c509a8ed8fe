// A template is instantiated with numbers and types.
#include "common.h"

template <typename T>
static size_t bytes_of(size_t count)
{
    return count * sizeof(T);
}

template <typename T>
static void run(cl_command_queue queue, cl_kernel kernel, T items)
{
    size_t global = items;
    // launch: kernel=scale; dim=1; global=512; local=NULL; changes=no loop
    clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, NULL, 0, NULL, NULL);
}

int main()
{
    cl_context context = make_context();
    cl_command_queue queue = make_queue(context);
    cl_program program = make_program(context);
    cl_kernel kernel = clCreateKernel(program, "scale", NULL);
    size_t bytes = bytes_of<float>(128);
    run(queue, kernel, 512);
    return bytes == 0;
}
