// A macro is a whole statement, and no `;` follows its use.
#include "common.h"

#define CHECK if (status) exit(1);
#define BOTH local = 32; global = 2048;

int main(int argc, char **argv)
{
    cl_context context = make_context();
    cl_command_queue queue = make_queue(context);
    cl_kernel kernel = clCreateKernel(make_program(context), "scale", NULL);
    size_t global = 1024, local = 64;
    int status = argc;
    CHECK
    local = argc > 2 ? 16 : 64;
    CHECK
    clFinish(queue), global = 512;
    // launch: kernel=scale; dim=1; global=512; local=16 or 64
    clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, &local, 0, NULL, NULL);
    if (argc > 1) BOTH
    // launch: kernel=scale; dim=1; global=2048; local=16 or 32 or 64
    clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, &local, 0, NULL, NULL);
    return 0;
}
