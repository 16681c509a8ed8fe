// A macro puts the name of a function before its arguments, which stand in parentheses of their own.
#include "common.h"

#define CHECKED(status, what) { if ((status) != CL_SUCCESS) { report(what, status); exit(1); } }
#define GUARDED(function, arguments) \
    { \
        cl_int status_code; \
        status_code = function arguments; \
        CHECKED(status_code, #function); \
    }

void report(const char *what, cl_int status);
void exit(int code);

int main(void)
{
    cl_context context = make_context();
    cl_command_queue queue = make_queue(context);
    const char *text = "__kernel void scale(__global float *x) { x[get_global_id(0)] *= 2.0f; }";
    // program: options=-DN=4; kernels=scale
    cl_program program = clCreateProgramWithSource(context, 1, &text, NULL, NULL);
    GUARDED(clBuildProgram, (program, 0, NULL, "-DN=4", NULL, NULL));
    cl_kernel kernel = clCreateKernel(program, "scale", NULL);
    size_t global[] = {64}, local[] = {16};
    // launch: kernel=scale; dim=1; global=64; local=16
    GUARDED(clEnqueueNDRangeKernel,
            (queue, kernel, 1, NULL, global, (const size_t *)&local, 0, NULL, NULL));
    GUARDED(clFinish, (queue));
    return 0;
}
