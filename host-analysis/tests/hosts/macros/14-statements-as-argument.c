// Statements as an argument of a macro, and `;` after its use.
#include "common.h"

#define CHECK(call, otherwise) error = call; \
                               if (error != CL_SUCCESS) {otherwise}

int main(void)
{
    cl_int error = CL_SUCCESS;
    cl_uint count = 0;
    CHECK(clGetPlatformIDs(0, NULL, &count),
          printf("no platforms\n");
          return 0;
          );
    cl_context context = make_context();
    cl_command_queue queue = make_queue(context);
    cl_program program = make_program(context);
    cl_kernel kernel = clCreateKernel(program, "scale", NULL);
    size_t global = 1024, local = 64;
    // launch: kernel=scale; dim=1; global=1024; local=64
    CHECK(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, &local, 0, NULL, NULL),
          printf("not launched\n");
          error = 1;
          );
    return error;
}
