// longjmp comes back after setjmp, with what was assigned meanwhile.
#include "common.h"
#include <setjmp.h>

static jmp_buf start;
static size_t local = 1;

static void fail(void)
{
    local = 32;
    longjmp(start, 1);
}

int main(void)
{
    cl_context context = make_context();
    cl_command_queue queue = make_queue(context);
    cl_program program = make_program(context);
    cl_kernel kernel = clCreateKernel(program, "scale", NULL);
    size_t global = 1024;
    if (setjmp(start) == 0) {
        local = 64;
        fail();
    }
    // launch: kernel=?; dim=1; global=?; local=? longjmp
    clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, &local, 0, NULL, NULL);
    return 0;
}
