/* Launches the kernels of a plan once each on an NVIDIA GPU, for Nsight Compute to count what they do:
 *
 *     cc -O2 counters.c -o counters -I/usr/local/cuda/include -L/usr/local/cuda/lib64/stubs -lOpenCL -lcuda
 *     ncu --section SourceCounters --set source -o seen ./counters PLAN
 *     python3 lines.py order.txt seen.ncu-rep >h200.csv
 *
 * OpenCL makes the kernels' PTX, with line numbers; the CUDA driver launches it, as ncu looks at nothing else. Results
 * come in the order of the plan; `order.txt` has their names and local sizes. */

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <cuda.h>

#include "../geometry/plan.h"

/* Where a group's own shared memory begins: what is before it is the driver's. */
enum { LOCAL_ALIGNMENT = 16 };

static cl_context context;
static cl_device_id device;
static FILE *order;

static void check(CUresult code, const char *what)
{
    if (code)
        fail(what, (int)code);
}

/* Registers that only OpenCL sets, and what is the same here: offsets of groups and ids, and numbers of groups. */
static const char *const ENVIRONMENT[][2] = {
    {", %envreg0;", ",        0;"}, {", %envreg1;", ",        0;"}, {", %envreg2;", ",        0;"},
    {", %envreg3;", ",        0;"}, {", %envreg4;", ",        0;"}, {", %envreg5;", ",        0;"},
    {", %envreg6;", ",%nctaid.x;"}, {", %envreg7;", ",%nctaid.y;"}, {", %envreg8;", ",%nctaid.z;"},
};

/* Makes OpenCL's PTX one that the CUDA driver loads, in place. */
static void adapt(char *text)
{
    for (size_t i = 0; i < sizeof ENVIRONMENT / sizeof *ENVIRONMENT; i++) {
        size_t length = strlen(ENVIRONMENT[i][0]);
        for (char *at = text; (at = strstr(at, ENVIRONMENT[i][0])); at += length) {
            memcpy(at, ENVIRONMENT[i][1], length);
            for (char *line = at; line > text && *line != '\n'; line--)
                if (!strncmp(line, "mov.b32", 7))
                    line[4] = 'u';
        }
    }
    /* A pointer to local memory is passed as its offset. */
    const char *const qualifier = ".ptr .shared .align";
    for (char *at = text; (at = strstr(at, qualifier));) {
        memset(at, ' ', strlen(qualifier));
        for (at += strlen(qualifier) + 1; *at >= '0' && *at <= '9'; at++)
            *at = ' ';
    }
}

/* A program's PTX, to be freed; NULL if it does not build. */
static char *ptx(const struct job *job)
{
    FILE *file = fopen(job->file, "rb");
    if (!file)
        return NULL;
    char *text = calloc(1, 1 << 20);
    size_t length = fread(text, 1, (1 << 20) - 1, file);
    fclose(file);
    cl_program program = clCreateProgramWithSource(context, 1, (const char **)&text, &length, NULL);
    char options[1800], folder[512];
    snprintf(folder, sizeof folder, "%s", job->file);
    char *slash = strrchr(folder, '/');
    *(slash ? slash : folder) = 0;
    snprintf(options, sizeof options, "-I%s -I%s/.. %s -nv-line-info", folder, folder, job->options);
    char *made = NULL;
    if (clBuildProgram(program, 1, &device, options, NULL, NULL)) {
        char log[4000] = "";
        clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL);
        fprintf(stderr, "%s does not build: %s\n", job->file, log);
    } else {
        size_t size = 0;
        clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof size, &size, NULL);
        made = calloc(1, size + 1);
        clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof made, &made, NULL);
        adapt(made);
    }
    clReleaseProgram(program);
    free(text);
    return made;
}

static CUdeviceptr buffer(const struct data *data)
{
    CUdeviceptr made = 0;
    size_t bytes = data->count * data->size;
    check(cuMemAlloc(&made, bytes ? bytes : 1), "cuMemAlloc");
    char *memory = malloc(bytes + 1);
    if (!strcmp(data->kind, "order"))
        shuffle((int32_t *)memory, data->count);
    else
        fill(memory, data, 0, data->count);
    check(cuMemcpyHtoD(made, memory, bytes), "cuMemcpyHtoD");
    free(memory);
    return made;
}

/* The author's local size; where that is left open, a usual one that divides the launch. */
static void chosen(const struct job *job, size_t local[3])
{
    const size_t line[3] = {64, 1, 1}, square[3] = {16, 16, 1};
    for (int d = 0; d < 3; d++) {
        size_t size = job->author_null ? (job->dims == 1 ? line : square)[d] : job->author[d];
        while (job->global[d] % size)
            size--;
        local[d] = size;
    }
}

static void launch(const struct job *job)
{
    char *text = ptx(job);
    if (!text)
        return;
    seed = 88172645463325252ull;
    CUmodule module;
    CUjit_option option = CU_JIT_GENERATE_LINE_INFO;
    void *on = (void *)1;
    check(cuModuleLoadDataEx(&module, text, 1, &option, &on), "cuModuleLoadDataEx");
    free(text);
    CUfunction kernel;
    check(cuModuleGetFunction(&kernel, module, job->name), job->name);
    int own = 0, reserved = 0;
    check(cuFuncGetAttribute(&own, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, kernel), "cuFuncGetAttribute");
    check(cuDeviceGetAttribute(&reserved, CU_DEVICE_ATTRIBUTE_RESERVED_SHARED_MEMORY_PER_BLOCK, 0), "reserved");
    size_t dynamic = 0;
    CUdeviceptr values[MAX_ARGS];
    struct data described_as[MAX_ARGS];
    void *args[MAX_ARGS];
    for (int i = 0; i < job->count; i++) {
        struct data *data = &described_as[i];
        *data = described(job->args[i]);
        args[i] = data->is_scalar ? (void *)data->value : (void *)&values[i];
        if (data->is_scalar)
            continue;
        if (!data->is_local) {
            values[i] = buffer(data);
            continue;
        }
        size_t first = (size_t)own + LOCAL_ALIGNMENT - 1 - ((size_t)own + LOCAL_ALIGNMENT - 1) % LOCAL_ALIGNMENT;
        values[i] = (size_t)reserved + first + dynamic;
        dynamic += (data->count + LOCAL_ALIGNMENT - 1) / LOCAL_ALIGNMENT * LOCAL_ALIGNMENT;
    }
    size_t local[3];
    chosen(job, local);
    unsigned groups[3], items[3];
    for (int d = 0; d < 3; d++) {
        items[d] = (unsigned)local[d];
        groups[d] = (unsigned)(job->global[d] / local[d]);
    }
    fprintf(order, "%s %s %zu %zu %zu\n", job->program, job->name, local[0], local[1], local[2]);
    fflush(order);
    CUresult code = cuLaunchKernel(kernel, groups[0], groups[1], groups[2], items[0], items[1], items[2],
                                   (unsigned)dynamic + LOCAL_ALIGNMENT, NULL, args, NULL);
    check(code, job->name);
    check(cuCtxSynchronize(), job->name);
    for (int i = 0; i < job->count; i++)
        if (!described_as[i].is_scalar && !described_as[i].is_local)
            cuMemFree(values[i]);
    cuModuleUnload(module);
}

static void open_opencl(void)
{
    cl_platform_id platforms[8];
    cl_uint count = 0;
    clGetPlatformIDs(8, platforms, &count);
    for (cl_uint i = 0; i < count && i < 8; i++) {
        char name[256] = "";
        clGetPlatformInfo(platforms[i], CL_PLATFORM_NAME, sizeof name, name, NULL);
        if (!strstr(name, "NVIDIA") || clGetDeviceIDs(platforms[i], CL_DEVICE_TYPE_GPU, 1, &device, NULL))
            continue;
        cl_int code;
        context = clCreateContext(NULL, 1, &device, NULL, NULL, &code);
        return;
    }
    fail("no OpenCL device of NVIDIA", 0);
}

int main(int argc, char **argv)
{
    if (argc != 2)
        fail("usage: counters PLAN", 0);
    order = fopen("order.txt", "a");
    open_opencl();
    CUdevice gpu;
    CUcontext own;
    check(cuInit(0), "cuInit");
    check(cuDeviceGet(&gpu, 0), "cuDeviceGet");
    check(cuDevicePrimaryCtxRetain(&own, gpu), "cuDevicePrimaryCtxRetain");
    check(cuCtxSetCurrent(own), "cuCtxSetCurrent");
    read_plan(argv[1], launch);
    return 0;
}
