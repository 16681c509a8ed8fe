/* leak: counts the blocks that the host and what is linked with it (not the OpenCL library) hold.
 * Prints how many more there are after launches, and after programs come and go. */
#include "ocl.h"

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *block, size_t size);
char *__real_strdup(const char *text);
void __real_free(void *block);

static long blocks;

void *__wrap_malloc(size_t size)
{
    blocks++;
    return __real_malloc(size);
}

void *__wrap_calloc(size_t count, size_t size)
{
    blocks++;
    return __real_calloc(count, size);
}

void *__wrap_realloc(void *block, size_t size)
{
    blocks += block == NULL;
    return __real_realloc(block, size);
}

char *__wrap_strdup(const char *text)
{
    blocks++;
    return __real_strdup(text);
}

void __wrap_free(void *block)
{
    blocks -= block != NULL;
    __real_free(block);
}

static void launches(cl_program program, int count)
{
    cl_int error;
    size_t global = 3;
    cl_mem out = buffer(12);
    cl_kernel kernel = clCreateKernel(program, "fill", &error);
    check(error, "clCreateKernel");
    for (int i = 0; i < count; i++) {
        check(clSetKernelArg(kernel, 0, sizeof out, &out), "clSetKernelArg");
        check(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, NULL, 0, NULL, NULL),
              "clEnqueueNDRangeKernel");
        check(clFinish(queue), "clFinish");
    }
    clReleaseKernel(kernel);
    clReleaseMemObject(out);
}

static cl_program build(const char *options)
{
    cl_int error;
    char *text = read_file("fill.cl", NULL);
    const char *pieces[1] = {text};
    cl_program program = clCreateProgramWithSource(context, 1, pieces, NULL, &error);
    check(error, "clCreateProgramWithSource");
    check(clBuildProgram(program, 0, NULL, options, NULL, NULL), "clBuildProgram");
    free(text);
    return program;
}

int main(void)
{
    open_device(CL_DEVICE_TYPE_ALL, 0);
    cl_program program = build("");
    launches(program, 10);
    long before = blocks;
    launches(program, 1000);
    printf("launches %ld\n", blocks - before);
    clReleaseProgram(program);
    /* The first round maps the .aocx, and the first warning is kept. */
    for (int round = 0; round < 2; round++) {
        before = blocks;
        for (int i = 0; i < 5; i++) {
            program = build(i % 2 ? "" : "-DN=3");
            launches(program, 1);
            clReleaseProgram(program);
        }
    }
    printf("programs %ld\n", blocks - before);
    return 0;
}
