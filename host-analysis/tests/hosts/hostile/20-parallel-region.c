// A region runs in several threads, one at a time.
#include "common.h"

int main(void)
{
    cl_context context = make_context();
    cl_command_queue queue = make_queue(context);
    cl_kernel kernel = clCreateKernel(make_program(context), "scale", NULL);
    size_t global = 1024, local = 64;
#pragma omp parallel shared(local)
    {
#pragma omp critical
        {
            // launch: kernel=scale; dim=1; global=1024; local=local {input local}
            clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, &local, 0, NULL, NULL);
            local /= 2;
        }
    }
    return 0;
}
