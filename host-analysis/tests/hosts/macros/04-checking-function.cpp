// A macro passes a call's result to a function with file and line.
#include "common.h"

static void check(cl_int status, const char *file, int line)
{
    if (status == CL_SUCCESS)
        return;
    fprintf(stderr, "%s:%d: OpenCL error %d\n", file, line, status);
    exit(1);
}
#define CHECK(status) check(status, __FILE__, __LINE__)

int main()
{
    cl_context context = make_context();
    cl_command_queue queue = make_queue(context);
    cl_program program = make_program(context);
    cl_int error;
    cl_kernel kernel = clCreateKernel(program, "scale", &error);
    CHECK(error);
    size_t global = 256, local = 16;
    // launch: kernel=scale; dim=1; global=256; local=16
    CHECK(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, &local, 0, NULL, NULL));
    return 0;
}
