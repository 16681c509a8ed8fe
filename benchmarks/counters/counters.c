/* Launches the kernels of a plan once each on an NVIDIA GPU, for Nsight Compute to count what they do:
 *
 *     cc -O2 counters.c -o counters -I/usr/local/cuda/include -L/usr/local/cuda/lib64/stubs -lOpenCL -lcuda
 *     ncu --section SourceCounters --set source -o seen ./counters PLAN
 *     python3 lines.py order.txt seen.ncu-rep >h200.csv
 *
 * OpenCL makes the kernels' PTX, with line numbers; the CUDA driver launches it, as ncu looks at nothing else. Results
 * come in the order of the plan; `order.txt` has their names and local sizes. */

#include <cuda.h>

#include "../geometry/device.h"

/* Where a group's own shared memory begins: what is before it is the driver's. */
enum { LOCAL_ALIGNMENT = 16 };

static FILE *order;

static void cuda(CUresult code, const char *what)
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
    cl_program program = built(job, "-nv-line-info", NULL);
    if (!program)
        return NULL;
    size_t size = 0;
    clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof size, &size, NULL);
    char *made = calloc(1, size + 1);
    clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof made, &made, NULL);
    adapt(made);
    clReleaseProgram(program);
    return made;
}

static CUdeviceptr buffer(const struct data *data)
{
    CUdeviceptr made = 0;
    size_t bytes = data->count * data->size;
    cuda(cuMemAlloc(&made, bytes ? bytes : 1), "cuMemAlloc");
    char *memory = made_for(data);
    cuda(cuMemcpyHtoD(made, memory, bytes), "cuMemcpyHtoD");
    free(memory);
    return made;
}

static void launch(const struct job *job)
{
    char *text = ptx(job);
    if (!text)
        return;
    seed = SEED;
    CUmodule module;
    CUjit_option option = CU_JIT_GENERATE_LINE_INFO;
    void *on = (void *)1;
    cuda(cuModuleLoadDataEx(&module, text, 1, &option, &on), "cuModuleLoadDataEx");
    free(text);
    CUfunction kernel;
    cuda(cuModuleGetFunction(&kernel, module, job->name), job->name);
    int own = 0, reserved = 0;
    cuda(cuFuncGetAttribute(&own, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, kernel), "cuFuncGetAttribute");
    cuda(cuDeviceGetAttribute(&reserved, CU_DEVICE_ATTRIBUTE_RESERVED_SHARED_MEMORY_PER_BLOCK, 0), "reserved");
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
    cuda(code, job->name);
    cuda(cuCtxSynchronize(), job->name);
    for (int i = 0; i < job->count; i++)
        if (!described_as[i].is_scalar && !described_as[i].is_local)
            cuMemFree(values[i]);
    cuModuleUnload(module);
}

int main(int argc, char **argv)
{
    if (argc != 2)
        fail("usage: counters PLAN", 0);
    order = fopen("order.txt", "a");
    open_device("NVIDIA");
    CUdevice gpu;
    CUcontext own;
    cuda(cuInit(0), "cuInit");
    cuda(cuDeviceGet(&gpu, 0), "cuDeviceGet");
    cuda(cuDevicePrimaryCtxRetain(&own, gpu), "cuDevicePrimaryCtxRetain");
    cuda(cuCtxSetCurrent(own), "cuCtxSetCurrent");
    read_plan(argv[1], launch);
    return 0;
}
