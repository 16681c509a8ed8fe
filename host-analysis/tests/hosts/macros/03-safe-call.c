// Each call stands inside of a macro that checks its result.
#include "common.h"

#define CL_SAFE_CALL(call)                                                                \
    do {                                                                                  \
        cl_int status_ = (call);                                                          \
        if (status_ != CL_SUCCESS) {                                                      \
            fprintf(stderr, "%s:%d: %s: error %d\n", __FILE__, __LINE__, #call, status_); \
            exit(EXIT_FAILURE);                                                           \
        }                                                                                 \
    } while (0)

int main(void)
{
    cl_context context = make_context();
    cl_command_queue queue = make_queue(context);
    cl_program program = make_program(context);
    cl_kernel kernel = clCreateKernel(program, "scale", NULL);
    size_t global = 4096, local = 32;
    int n = 1000;
    CL_SAFE_CALL(clSetKernelArg(kernel, 0, sizeof(int), &n));
    // launch: kernel=scale; dim=1; global=4096; local=32; 0=1000; changes=no loop
    CL_SAFE_CALL(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, &local, 0, NULL, NULL));
    CL_SAFE_CALL(clFinish(queue));
    return 0;
}
