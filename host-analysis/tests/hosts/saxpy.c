/* y = a * x + y, the way many C hosts are written: checks in macros, a loader, options by sprintf. */
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef WG_SIZE
#define GROUP WG_SIZE
#else
#define GROUP 128
#endif

#define CHECK(call)                                             \
    do {                                                        \
        cl_int check_err = (call);                              \
        if (check_err != CL_SUCCESS) {                          \
            fprintf(stderr, "%s failed: %d\n", #call, check_err); \
            exit(1);                                            \
        }                                                       \
    } while (0)

#define LAUNCH(kernel, global, local) \
    clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &(global), &(local), 0, NULL, NULL)

static cl_context context;
static cl_command_queue queue;

static char *load(const char *path)
{
    FILE *file = fopen(path, "rb");
    if (!file) {
        perror(path);
        exit(1);
    }
    fseek(file, 0, SEEK_END);
    long size = ftell(file);
    rewind(file);
    char *text = malloc(size + 1);
    size_t got = fread(text, 1, size, file);
    text[got] = '\0';
    fclose(file);
    return text;
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 1 << 20;
    float a = 2.5f;
    cl_int err;

    /* clEnqueueNDRangeKernel(queue, old, ...) was here. */
    char *source = load("saxpy.cl");
    cl_program program = clCreateProgramWithSource(context, 1, (const char **)&source, NULL, &err);
    char options[64];
    sprintf(options, "-DGROUP=%d", GROUP);
#if VERBOSE
    strcat(options, " -cl-nv-verbose");
#endif
    CHECK(clBuildProgram(program, 0, NULL, options, NULL, NULL));
    cl_kernel scale = clCreateKernel(program, "scale", &err);
    cl_kernel saxpy = clCreateKernel(program, "saxpy", &err);

    cl_mem x = clCreateBuffer(context, CL_MEM_READ_ONLY, n * sizeof(float), NULL, &err);
    cl_mem y = clCreateBuffer(context, CL_MEM_READ_WRITE, n * sizeof(float), NULL, &err);

    size_t local = GROUP;
    size_t global = (n + local - 1) / local * local;
    CHECK(clSetKernelArg(saxpy, 0, sizeof(cl_mem), &x));
    CHECK(clSetKernelArg(saxpy, 1, sizeof(cl_mem), &y));
    CHECK(clSetKernelArg(saxpy, 2, sizeof(float), &a));
    CHECK(clSetKernelArg(saxpy, 3, sizeof(int), &n));
    CHECK(clEnqueueNDRangeKernel(queue, saxpy, 1, NULL, &global, &local, 0, NULL, NULL));

    clSetKernelArg(scale, 0, sizeof(cl_mem), &y);
    clSetKernelArg(scale, 1, GROUP * sizeof(float), NULL);
    if (LAUNCH(scale, global, local) != CL_SUCCESS)
        puts("clEnqueueNDRangeKernel(scale) failed");
    return clFinish(queue);
}
