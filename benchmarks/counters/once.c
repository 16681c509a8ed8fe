/* Launches the kernels of a plan once each on any OpenCL device, with the data and local sizes that counters.c has:
 *
 *     cc -O2 once.c -o once -lOpenCL && fpgacc trace --accesses -o seen.yaml -- ./once PLAN [DEVICE'S NAME] */

#include "../geometry/device.h"

static void launch(const struct job *job)
{
    cl_program program = built(job, "", NULL);
    if (!program)
        fail(job->file, 0);
    cl_int code;
    cl_kernel kernel = clCreateKernel(program, job->name, &code);
    check(code, job->name);
    cl_mem buffers[MAX_ARGS] = {NULL};
    seed = SEED;
    for (int i = 0; i < job->count; i++) {
        struct data data = described(job->args[i]);
        size_t bytes = data.count * data.size;
        if (data.is_scalar) {
            code = clSetKernelArg(kernel, (cl_uint)i, data.size, data.value);
        } else if (data.is_local) {
            code = clSetKernelArg(kernel, (cl_uint)i, bytes, NULL);
        } else {
            char *memory = made_for(&data);
            buffers[i] = clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, bytes ? bytes : 1, memory,
                                        &code);
            check(code, "clCreateBuffer");
            free(memory);
            code = clSetKernelArg(kernel, (cl_uint)i, sizeof buffers[i], &buffers[i]);
        }
        check(code, "clSetKernelArg");
    }
    size_t local[3];
    chosen(job, local);
    check(clEnqueueNDRangeKernel(queue, kernel, job->dims, NULL, job->global, local, 0, NULL, NULL), job->name);
    check(clFinish(queue), job->name);
    for (int i = 0; i < job->count; i++)
        if (buffers[i])
            clReleaseMemObject(buffers[i]);
    clReleaseKernel(kernel);
    clReleaseProgram(program);
}

int main(int argc, char **argv)
{
    if (argc < 2)
        fail("usage: once PLAN [DEVICE]", 0);
    open_device(argc > 2 ? argv[2] : NULL);
    read_plan(argv[1], launch);
    clReleaseCommandQueue(queue);
    clReleaseContext(context);
    return 0;
}
