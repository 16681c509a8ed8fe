// Errors jump to the end.
#include "common.h"

int main(void)
{
    cl_context context = make_context();
    cl_command_queue queue = make_queue(context);
    cl_program program = make_program(context);
    cl_kernel kernel = clCreateKernel(program, "scale", NULL);
    size_t global = 128, local = 8;
    cl_int error;
    float *data = malloc(sizeof(float) * global);
    cl_mem memory = clCreateBuffer(context, CL_MEM_READ_WRITE, sizeof(float) * global, NULL, &error);
    if (error != CL_SUCCESS) {
        local = 0;
        goto end;
    }
    error = clSetKernelArg(kernel, 0, sizeof(memory), &memory);
    if (error != CL_SUCCESS)
        goto end;
    // launch: kernel=scale; dim=1; global=128; local=8; 0=main::memory
    error = clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, &local, 0, NULL, NULL);
end:
    free(data);
    return error;
}
