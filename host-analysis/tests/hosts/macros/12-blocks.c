// Macros open and close blocks, and are heads of loops.
#include "common.h"
#include <setjmp.h>

#define BEGIN {
#define END }
#define FOR_EACH(i, n) for (int i = 0; i < n; i++)
#define UNLESS(condition) if (!(condition)) BEGIN
#define OTHERWISE END else BEGIN

int main(int argc, char **argv)
BEGIN
    cl_context context = make_context();
    cl_command_queue queue = make_queue(context);
    cl_kernel kernel = clCreateKernel(make_program(context), "scale", NULL);
    size_t global = 1024, local = 64;
    FOR_EACH(i, 2)
        FOR_EACH(j, 2) {
            local = 1 << (2 * i + j);
            // launch: kernel=scale; dim=1; global=1024; local=1 or 2 or 4 or 8
            clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, &local, 0, NULL, NULL);
        }
    UNLESS(argc > 1)
        local = 16;
    OTHERWISE
        local = 32;
    END
    // launch: kernel=scale; dim=1; global=1024; local=16 or 32
    clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, &local, 0, NULL, NULL);
    return 0;
END
