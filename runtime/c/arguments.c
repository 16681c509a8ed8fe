/* Kernel arguments: what the host sets. */
#include "runtime.h"

#include <string.h>

static int is_pointer(const struct fpgacc_param *param)
{
    return param->kind == FPGACC_PARAM_GLOBAL || param->kind == FPGACC_PARAM_CONSTANT;
}

/* A value's bytes as a number. */
static uint64_t bits_of(const void *value, size_t size)
{
    uint64_t number64 = 0;
    uint32_t number32 = 0;
    uint16_t number16 = 0;
    uint8_t number8 = 0;
    switch (size) {
    case sizeof number64:
        memcpy(&number64, value, size);
        return number64;
    case sizeof number32:
        memcpy(&number32, value, size);
        return number32;
    case sizeof number16:
        memcpy(&number16, value, size);
        return number16;
    case sizeof number8:
        memcpy(&number8, value, size);
        return number8;
    default:
        return 0;
    }
}

/* Whether a version states less local memory. It takes no launch with this argument, and some
 * implementations refuse to set it. */
static int is_too_much(const struct fpgacc_kernel *info, cl_uint index, size_t size)
{
    for (uint32_t i = 0; i < info->guard_count; i++) {
        const struct fpgacc_guard *guard = &info->guards[i];
        if (guard->kind == FPGACC_GUARD_LOCAL_BYTES && guard->of.memory.param == index &&
            size > guard->of.memory.bytes)
            return 1;
    }
    return 0;
}

static cl_int set_argument(const struct fpgacc_version *version, cl_uint index, size_t size,
                           const void *value)
{
    if (!value && is_too_much(version->info, index, size))
        return CL_SUCCESS;
    return __real_clSetKernelArg(version->handle, index, size, value);
}

/* An argument that every version took: only then are there `size` bytes to read. */
struct fpgacc_argument fpgacc_argument_of(const struct fpgacc_param *param, size_t size,
                                          const void *value)
{
    struct fpgacc_argument argument = {.kind = FPGACC_OTHER, .size = size};
    if (is_pointer(param)) {
        argument.kind = FPGACC_MEMORY;
        if (value && size == sizeof argument.memory)
            memcpy(&argument.memory, value, sizeof argument.memory);
    } else if (value && size <= sizeof argument.bits) {
        argument.bits = bits_of(value, size);
    }
    return argument;
}

cl_int __wrap_clSetKernelArg(cl_kernel kernel, cl_uint index, size_t size, const void *value)
{
    struct fpgacc_tracked *tracked = fpgacc_find_kernel(kernel);
    if (!tracked || !tracked->info)
        return __real_clSetKernelArg(kernel, index, size, value);
    if (index >= tracked->info->param_count)
        return CL_INVALID_ARG_INDEX;
    struct fpgacc_argument *argument = &tracked->arguments[index];
    cl_int put_off = fpgacc_settle_argument(tracked, index, size, value);
    if (put_off != CL_SUCCESS)
        return put_off;
    pthread_mutex_lock(&tracked->lock);
    cl_int error = set_argument(&tracked->first, index, size, value);
    int is_changed = error == CL_SUCCESS;
    for (uint32_t i = 0; i < tracked->info->other_count && error == CL_SUCCESS; i++)
        error = set_argument(&tracked->others[i], index, size, value);
    if (error == CL_SUCCESS)
        *argument = fpgacc_argument_of(&tracked->info->params[index], size, value);
    else if (is_changed) /* versions differ: set again, or not launched */
        argument->kind = FPGACC_UNSET;
    if (error == CL_SUCCESS && argument->memory && fpgacc_recording())
        fpgacc_record_type(argument->memory, tracked->info->params[index].type_name);
    pthread_mutex_unlock(&tracked->lock);
    return error;
}

cl_int fpgacc_set_shared(cl_kernel kernel, cl_uint index, const void *value,
                         fpgacc_set_pointer set)
{
    struct fpgacc_tracked *tracked = fpgacc_find_kernel(kernel);
    if (!tracked || !tracked->info)
        return set(kernel, index, value);
    if (index >= tracked->info->param_count)
        return CL_INVALID_ARG_INDEX;
    struct fpgacc_argument argument = {
        .kind = FPGACC_SVM, .size = sizeof value, .bits = (uintptr_t)value};
    cl_int put_off = fpgacc_settle();
    if (put_off != CL_SUCCESS)
        return put_off;
    pthread_mutex_lock(&tracked->lock);
    cl_int error = set(tracked->first.handle, index, value);
    int is_changed = error == CL_SUCCESS;
    for (uint32_t i = 0; i < tracked->info->other_count && error == CL_SUCCESS; i++)
        error = set(tracked->others[i].handle, index, value);
    if (error == CL_SUCCESS)
        tracked->arguments[index] = argument;
    else if (is_changed)
        tracked->arguments[index].kind = FPGACC_UNSET;
    pthread_mutex_unlock(&tracked->lock);
    return error;
}

cl_int __wrap_clSetKernelArgSVMPointer(cl_kernel kernel, cl_uint index, const void *value)
{
    if (!__real_clSetKernelArgSVMPointer)
        return CL_INVALID_OPERATION;
    return fpgacc_set_shared(kernel, index, value, __real_clSetKernelArgSVMPointer);
}

/* Whether a kernel may then reach shared virtual memory that is none of its arguments. */
static int is_more_memory(cl_uint name, size_t size, const void *value)
{
    cl_bool is_on = CL_FALSE;
    if (name == FPGACC_EXEC_INFO_SVM_PTRS)
        return size > 0;
    if (name == FPGACC_EXEC_INFO_SVM_FINE_GRAIN_SYSTEM && size == sizeof is_on)
        memcpy(&is_on, value, sizeof is_on);
    return is_on != CL_FALSE;
}

/* What holds of a kernel holds of all its versions. */
cl_int __wrap_clSetKernelExecInfo(cl_kernel kernel, cl_uint name, size_t size, const void *value)
{
    if (!__real_clSetKernelExecInfo)
        return CL_INVALID_OPERATION;
    fpgacc_settle();
    cl_int error = __real_clSetKernelExecInfo(kernel, name, size, value);
    struct fpgacc_tracked *tracked = fpgacc_find_kernel(kernel);
    if (!tracked || !tracked->info)
        return error;
    pthread_mutex_lock(&tracked->lock);
    if (error == CL_SUCCESS && tracked->first.handle != kernel)
        error = __real_clSetKernelExecInfo(tracked->first.handle, name, size, value);
    if (error == CL_SUCCESS && is_more_memory(name, size, value))
        tracked->reaches_more = 1;
    for (uint32_t i = 0; i < tracked->info->other_count && error == CL_SUCCESS; i++)
        error = __real_clSetKernelExecInfo(tracked->others[i].handle, name, size, value);
    pthread_mutex_unlock(&tracked->lock);
    return error;
}
