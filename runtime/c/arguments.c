/* Kernel arguments: what the host sets, and the memory that two of them may share. */
#include "runtime.h"

#include <string.h>

static void remember(struct fpgacc_tracked *kernel, cl_uint index,
                     const struct fpgacc_argument *argument)
{
    kernel->arguments[index] = *argument;
}

static int is_pointer(const struct fpgacc_param *param)
{
    return param->kind == FPGACC_PARAM_GLOBAL || param->kind == FPGACC_PARAM_CONSTANT;
}

cl_int __wrap_clSetKernelArg(cl_kernel kernel, cl_uint index, size_t size, const void *value)
{
    struct fpgacc_tracked *tracked = fpgacc_find_kernel(kernel);
    if (!tracked || !tracked->info)
        return __real_clSetKernelArg(kernel, index, size, value);
    if (index >= tracked->info->param_count)
        return CL_INVALID_ARG_INDEX;
    struct fpgacc_argument argument = {FPGACC_OTHER, NULL, size};
    pthread_mutex_lock(&tracked->lock);
    cl_int error = __real_clSetKernelArg(kernel, index, size, value);
    if (is_pointer(&tracked->info->params[index])) {
        argument.kind = FPGACC_MEMORY;
        if (value && size == sizeof argument.memory)
            memcpy(&argument.memory, value, sizeof argument.memory);
    }
    if (error == CL_SUCCESS)
        remember(tracked, index, &argument);
    if (error == CL_SUCCESS && argument.memory && fpgacc_recording())
        fpgacc_record_type(argument.memory, tracked->info->params[index].type_name);
    pthread_mutex_unlock(&tracked->lock);
    return error;
}

cl_int __wrap_clSetKernelArgSVMPointer(cl_kernel kernel, cl_uint index, const void *value)
{
    if (!__real_clSetKernelArgSVMPointer)
        return CL_INVALID_OPERATION;
    struct fpgacc_tracked *tracked = fpgacc_find_kernel(kernel);
    if (!tracked || !tracked->info)
        return __real_clSetKernelArgSVMPointer(kernel, index, value);
    if (index >= tracked->info->param_count)
        return CL_INVALID_ARG_INDEX;
    struct fpgacc_argument argument = {FPGACC_SVM, NULL, sizeof value};
    pthread_mutex_lock(&tracked->lock);
    cl_int error = __real_clSetKernelArgSVMPointer(kernel, index, value);
    if (error == CL_SUCCESS)
        remember(tracked, index, &argument);
    pthread_mutex_unlock(&tracked->lock);
    return error;
}

/* A part of a buffer, or of the host memory that the buffer uses. */
struct region {
    cl_mem buffer;
    size_t begin;
    size_t size;
    uintptr_t host; /* 0: memory of the device */
};

static cl_int region_of(cl_mem memory, struct region *region)
{
    cl_mem parent = NULL;
    size_t offset = 0;
    cl_mem_flags flags = 0;
    void *host = NULL;
    memset(region, 0, sizeof *region);
    cl_int error = clGetMemObjectInfo(memory, CL_MEM_SIZE, sizeof region->size, &region->size,
                                      NULL);
    if (error == CL_SUCCESS)
        error = clGetMemObjectInfo(memory, CL_MEM_ASSOCIATED_MEMOBJECT, sizeof parent, &parent,
                                   NULL);
    if (error == CL_SUCCESS)
        error = clGetMemObjectInfo(memory, CL_MEM_OFFSET, sizeof offset, &offset, NULL);
    region->buffer = parent ? parent : memory;
    region->begin = offset;
    if (error == CL_SUCCESS)
        error = clGetMemObjectInfo(region->buffer, CL_MEM_FLAGS, sizeof flags, &flags, NULL);
    if (error == CL_SUCCESS && (flags & CL_MEM_USE_HOST_PTR))
        error = clGetMemObjectInfo(region->buffer, CL_MEM_HOST_PTR, sizeof host, &host, NULL);
    if (host)
        region->host = (uintptr_t)host + offset;
    return error;
}

/* What two regions have in common, in words; NULL: nothing. */
static const char *overlap(const struct region *a, const struct region *b)
{
    if (a->buffer == b->buffer) {
        if (a->begin >= b->begin + b->size || b->begin >= a->begin + a->size)
            return NULL;
        return a->begin == b->begin && a->size == b->size ? "are the same buffer"
                                                          : "are overlapping parts of one buffer";
    }
    if (a->host && b->host && a->host < b->host + b->size && b->host < a->host + a->size)
        return "are buffers over the same host memory";
    return NULL;
}

/* NULL: the pair is distinct. */
static const char *conflict(const struct fpgacc_tracked *kernel, const struct fpgacc_pair *pair,
                            cl_int *error)
{
    const struct fpgacc_argument *first = &kernel->arguments[pair->first];
    const struct fpgacc_argument *second = &kernel->arguments[pair->second];
    *error = CL_SUCCESS;
    if (first->kind == FPGACC_UNSET || second->kind == FPGACC_UNSET)
        return "are not both set with clSetKernelArg";
    if (first->kind == FPGACC_SVM || second->kind == FPGACC_SVM)
        return "are in shared virtual memory, where an overlap cannot be seen";
    if (!first->memory || !second->memory)
        return NULL;
    struct region a;
    struct region b;
    *error = region_of(first->memory, &a);
    if (*error == CL_SUCCESS)
        *error = region_of(second->memory, &b);
    return *error == CL_SUCCESS ? overlap(&a, &b) : NULL;
}

static cl_int check_pairs(const struct fpgacc_tracked *kernel, const struct fpgacc_site *site)
{
    const struct fpgacc_kernel *info = kernel->info;
    for (uint32_t i = 0; i < info->distinct_count; i++) {
        const struct fpgacc_pair *pair = &info->distinct[i];
        cl_int error;
        const char *words = conflict(kernel, pair, &error);
        if (error != CL_SUCCESS)
            return error;
        if (!words)
            continue;
        fpgacc_report(FPGACC_ERROR, site,
                      "kernel `%s` is not launched: it was compiled with arguments %u (`%s`) and "
                      "%u (`%s`) as distinct memory, in this launch they %s "
                      "(CL_INVALID_KERNEL_ARGS)\n"
                      "help: compile again with -fno-restrict",
                      info->name, pair->first, info->params[pair->first].name, pair->second,
                      info->params[pair->second].name, words);
        return CL_INVALID_KERNEL_ARGS;
    }
    return CL_SUCCESS;
}

static cl_int check_local_bytes(const struct fpgacc_tracked *kernel,
                                const struct fpgacc_site *site)
{
    const struct fpgacc_kernel *info = kernel->info;
    for (uint32_t i = 0; i < info->local_bytes_count; i++) {
        const struct fpgacc_local_bytes *fact = &info->local_bytes[i];
        const struct fpgacc_argument *argument = &kernel->arguments[fact->param];
        if (argument->kind == FPGACC_UNSET || argument->size <= fact->bytes)
            continue;
        fpgacc_report(FPGACC_ERROR, site,
                      "kernel `%s` is not launched: it was compiled for at most %llu bytes of "
                      "local memory in argument %u (`%s`), this launch has %zu "
                      "(CL_OUT_OF_RESOURCES)\n"
                      "help: compile again with a launch facts file (.yaml) that has this size",
                      info->name, (unsigned long long)fact->bytes, fact->param,
                      info->params[fact->param].name, argument->size);
        return CL_OUT_OF_RESOURCES;
    }
    return CL_SUCCESS;
}

cl_int fpgacc_check_arguments(const struct fpgacc_tracked *kernel,
                              const struct fpgacc_site *site)
{
    cl_int error = check_pairs(kernel, site);
    return error == CL_SUCCESS ? check_local_bytes(kernel, site) : error;
}
