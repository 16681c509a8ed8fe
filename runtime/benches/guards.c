/* What the runtime's checks cost at a launch. OpenCL itself is made of functions that do nothing, so
 * that what is measured is the library alone. Prints nanoseconds a launch, the least of many rounds,
 * for a kernel that relies on nothing and for one that relies on everything. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "runtime.h"
#define FPGACC_RUNTIME
#include "fpgacc_rt.h"

cl_int __wrap_clSetKernelArg(cl_kernel kernel, cl_uint index, size_t size, const void *value);
cl_kernel __wrap_clCreateKernel(cl_program program, const char *name, cl_int *error);

#define PARAMS 12
#define BUFFERS 4
#define SCALARS 6

/* ---- an OpenCL that does nothing -------------------------------------------------------------- */

static char objects[64];
static size_t next_object;

cl_kernel clCreateKernel(cl_program program, const char *name, cl_int *error)
{
    (void)program;
    (void)name;
    *error = CL_SUCCESS;
    return (cl_kernel)(void *)&objects[next_object++];
}

cl_int clSetKernelArg(cl_kernel kernel, cl_uint index, size_t size, const void *value)
{
    (void)kernel;
    (void)index;
    (void)size;
    (void)value;
    return CL_SUCCESS;
}

cl_int clEnqueueNDRangeKernel(cl_command_queue queue, cl_kernel kernel, cl_uint work_dim,
                                     const size_t *offset, const size_t *global,
                                     const size_t *local, cl_uint num_events,
                                     const cl_event *wait_list, cl_event *event)
{
    (void)queue;
    (void)kernel;
    (void)work_dim;
    (void)offset;
    (void)global;
    (void)local;
    (void)num_events;
    (void)wait_list;
    (void)event;
    return CL_SUCCESS;
}

static cl_int give(size_t value, size_t size, void *out, size_t *size_ret)
{
    if (size_ret)
        *size_ret = size;
    if (out) {
        memset(out, 0, size);
        memcpy(out, &value, size < sizeof value ? size : sizeof value);
    }
    return CL_SUCCESS;
}

cl_int clGetCommandQueueInfo(cl_command_queue queue, cl_command_queue_info name, size_t size,
                             void *value, size_t *size_ret)
{
    (void)queue;
    (void)name;
    return give((size_t)(uintptr_t)objects, size, value, size_ret);
}

cl_int clGetContextInfo(cl_context context, cl_context_info name, size_t size, void *value,
                        size_t *size_ret)
{
    (void)context;
    return give(name == CL_CONTEXT_DEVICES ? (size_t)(uintptr_t)objects : 1,
                value ? size : sizeof(cl_device_id), value, size_ret);
}

cl_int clGetMemObjectInfo(cl_mem memory, cl_mem_info name, size_t size, void *value,
                          size_t *size_ret)
{
    (void)memory;
    switch (name) {
    case CL_MEM_SIZE:
        return give(1024, size, value, size_ret);
    case CL_MEM_FLAGS:
        return give(CL_MEM_READ_ONLY, size, value, size_ret);
    default:
        return give(0, size, value, size_ret);
    }
}

cl_int clGetDeviceInfo(cl_device_id device, cl_device_info name, size_t size, void *value,
                              size_t *size_ret)
{
    (void)device;
    if (name == CL_DEVICE_MAX_WORK_ITEM_SIZES && value) {
        for (size_t i = 0; i < size / sizeof(size_t); i++)
            ((size_t *)value)[i] = 1024;
        return CL_SUCCESS;
    }
    return give(name == CL_DEVICE_MAX_WORK_ITEM_DIMENSIONS ? 3 : 1024, size, value, size_ret);
}

/* ---- what was compiled ------------------------------------------------------------------------ */

#define BUFFER {"b", "float*", FPGACC_PARAM_GLOBAL, 8, 0, 0, 0}
#define SCALAR {"n", "int", FPGACC_PARAM_VALUE, 4, 0, 0, 0}
#define LOCAL {"l", "float*", FPGACC_PARAM_LOCAL, 0, 0, 0, 0}

static const struct fpgacc_param params[PARAMS] = {BUFFER, BUFFER, BUFFER, BUFFER, SCALAR, SCALAR,
                                                   SCALAR, SCALAR, SCALAR, SCALAR, LOCAL,  LOCAL};
#define FACT(what, dim, value) {.kind = FPGACC_GUARD_GEOMETRY, .of.fact = {FPGACC_FACT_##what, dim, value}}
#define VALUE(param, bits) {.kind = FPGACC_GUARD_SCALAR, .of.scalar = {param, FPGACC_SIGNED, 4, bits}}
#define PAIR(a, b) {.kind = FPGACC_GUARD_DISTINCT, .of.pair = {a, b}}
#define MEMORY(what, param, bytes) {.kind = FPGACC_GUARD_##what, .of.memory = {param, bytes}}
#define GUARDS(last)                                                                           \
    {                                                                                          \
        FACT(WORK_DIM, 0, 3), FACT(OFFSET, 0, 0), FACT(OFFSET, 1, 0), FACT(OFFSET, 2, 0),      \
            FACT(GLOBAL, 0, 64), FACT(GLOBAL, 1, 64), FACT(GLOBAL, 2, 64), FACT(LOCAL, 0, 8),  \
            FACT(LOCAL, 1, 8), FACT(LOCAL, 2, 4), {.kind = FPGACC_GUARD_INT_LOOPS},            \
            {.kind = FPGACC_GUARD_GROUP_SIZE, .of.items = 1024}, VALUE(4, 4), VALUE(5, 5),     \
            VALUE(6, 6), VALUE(7, 7), VALUE(8, 8), VALUE(9, last), PAIR(0, 1), PAIR(0, 2),     \
            PAIR(0, 3), PAIR(1, 2), PAIR(1, 3), PAIR(2, 3), MEMORY(CONSTANT, 2, 1024),         \
            MEMORY(CONSTANT, 3, 1024), MEMORY(ALIGNED, 0, 64), MEMORY(ALIGNED, 1, 64),         \
            MEMORY(ALIGNED, 2, 64), MEMORY(ALIGNED, 3, 64), MEMORY(LOCAL_BYTES, 10, 256),      \
            MEMORY(LOCAL_BYTES, 11, 256),                                                      \
    }
static const struct fpgacc_guard loops[] = {{.kind = FPGACC_GUARD_INT_LOOPS}};
static const struct fpgacc_guard held[] = GUARDS(9);
static const struct fpgacc_guard not_held[] = GUARDS(10);

#define COUNT(array) (sizeof(array) / sizeof(array)[0])
#define TASK(list)                                                                             \
    .form = FPGACC_TASK, .params = params, .param_count = PARAMS, .guards = list,              \
    .guard_count = COUNT(list), .max_group_size = 1024

/* Three versions whose last scalar is another. */
static const struct fpgacc_kernel others[] = {
    {.name = "fpgacc_2_last", TASK(not_held)},
    {.name = "fpgacc_3_last", TASK(not_held)},
    {.name = "fpgacc_general_last", .form = FPGACC_NDRANGE, .params = params,
     .param_count = PARAMS},
};
static const struct fpgacc_kernel kernels[] = {
    {.name = "none", TASK(loops)},
    {.name = "all", TASK(held)},
    {.name = "last", TASK(not_held), .others = others,
     .other_count = COUNT(others)},
};
static const struct fpgacc_program program = {
    .name = "guards", .aocx = "none", .kernels = kernels, .kernel_count = COUNT(kernels)};
const struct fpgacc_manifest fpgacc_manifest = {
    .target = FPGACC_TARGET_POCL, .programs = &program, .program_count = 1};

/* ---- the measurement -------------------------------------------------------------------------- */

static void set_arguments(cl_kernel kernel)
{
    for (cl_uint i = 0; i < PARAMS; i++) {
        cl_mem memory = (cl_mem)(void *)&objects[32 + i];
        cl_int number = (cl_int)i;
        if (i < BUFFERS)
            __wrap_clSetKernelArg(kernel, i, sizeof memory, &memory);
        else if (i < BUFFERS + SCALARS)
            __wrap_clSetKernelArg(kernel, i, sizeof number, &number);
        else
            __wrap_clSetKernelArg(kernel, i, 256, NULL);
    }
}

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Nanoseconds a launch. */
static double measure(cl_kernel kernel, int set_each_time)
{
    static const size_t global[3] = {64, 64, 64};
    static const size_t local[3] = {8, 8, 4};
    const int launches = 2000;
    double least = 1e9;
    set_arguments(kernel);
    for (int round = 0; round < 100; round++) {
        double start = seconds();
        for (int i = 0; i < launches; i++) {
            if (set_each_time)
                set_arguments(kernel);
            if (fpgacc_clEnqueueNDRangeKernel("host.c", 1, (cl_command_queue)(void *)objects,
                                              kernel, 3, NULL, global, local, 0, NULL,
                                              NULL) != CL_SUCCESS)
                exit(1);
        }
        double each = (seconds() - start) / launches * 1e9;
        least = each < least ? each : least;
    }
    return least;
}

int main(void)
{
    cl_program handle = (cl_program)(void *)&objects[next_object++];
    struct fpgacc_loaded *loaded = fpgacc_add_program(handle, NULL, NULL);
    loaded->is_known = 1;
    loaded->variant = &program;
    loaded->state = FPGACC_BUILT;
    cl_kernel made[COUNT(kernels)];
    for (size_t i = 0; i < COUNT(kernels); i++) {
        cl_int error;
        made[i] = __wrap_clCreateKernel(handle, kernels[i].name, &error);
        if (error != CL_SUCCESS)
            return 1;
    }
    double none = measure(made[0], 0);
    double none_set = measure(made[0], 1);
    printf("launch without facts %.0f\n", none);
    printf("guards %.0f\n", measure(made[1], 0) - none);
    printf("guards, arguments set each time %.0f\n", measure(made[1], 1) - none_set);
    printf("guards of four versions %.0f\n", measure(made[2], 0) - none);
    return 0;
}
