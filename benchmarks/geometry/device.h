/* A device, programs and arguments of plans (plan.h), through OpenCL. */

#ifndef DEVICE_H
#define DEVICE_H

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include "plan.h"

static cl_context context;
static cl_command_queue queue;
static cl_device_id device;

static void check(cl_int code, const char *what)
{
    if (code)
        fail(what, code);
}

/* Opens the first device whose name contains `wanted`; NULL: any. */
static void open_device(const char *wanted)
{
    cl_platform_id platforms[8];
    cl_uint count = 0;
    clGetPlatformIDs(8, platforms, &count);
    for (cl_uint i = 0; i < count && i < 8; i++) {
        char name[256] = "";
        if (clGetDeviceIDs(platforms[i], CL_DEVICE_TYPE_ALL, 1, &device, NULL))
            continue;
        clGetDeviceInfo(device, CL_DEVICE_NAME, sizeof name, name, NULL);
        if (wanted && !strstr(name, wanted))
            continue;
        cl_int code;
        context = clCreateContext(NULL, 1, &device, NULL, NULL, &code);
        queue = clCreateCommandQueue(context, device, CL_QUEUE_PROFILING_ENABLE, &code);
        check(code, "clCreateCommandQueue");
        return;
    }
    fail("no such device", 0);
}

/* A job's program, built with these options beside its own; NULL: it does not build, and standard error says why.
 * `log`: what the compiler said, to be freed, or NULL if nobody asks. */
static inline cl_program built(const struct job *job, const char *more, char **log)
{
    FILE *file = fopen(job->file, "rb");
    if (!file)
        return NULL;
    char *text = calloc(1, 1 << 20);
    size_t length = fread(text, 1, (1 << 20) - 1, file);
    fclose(file);
    cl_program program = clCreateProgramWithSource(context, 1, (const char **)&text, &length, NULL);
    free(text);
    char options[1800], folder[512];
    snprintf(folder, sizeof folder, "%s", job->file);
    char *slash = strrchr(folder, '/');
    *(slash ? slash : folder) = 0;
    snprintf(options, sizeof options, "-I%s -I%s/.. %s %s", folder, folder, job->options, more);
    cl_int code = clBuildProgram(program, 1, &device, options, NULL, NULL);
    size_t size = 0;
    clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, 0, NULL, &size);
    char *said = calloc(1, size + 1);
    clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, size, said, NULL);
    if (code) {
        fprintf(stderr, "%s does not build: %s\n", job->file, said);
        clReleaseProgram(program);
        program = NULL;
    }
    if (log)
        *log = said;
    else
        free(said);
    return program;
}

#endif
