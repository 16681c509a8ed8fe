/* Kernel arguments: what the host sets, and the memory that two of them may share. */
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
    for (uint32_t i = 0; i < info->local_bytes_count; i++)
        if (info->local_bytes[i].param == index && size > info->local_bytes[i].bytes)
            return 1;
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
static struct fpgacc_argument argument_of(const struct fpgacc_param *param, size_t size,
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
    pthread_mutex_lock(&tracked->lock);
    cl_int error = set_argument(&tracked->first, index, size, value);
    int is_changed = error == CL_SUCCESS;
    for (uint32_t i = 0; i < tracked->info->other_count && error == CL_SUCCESS; i++)
        error = set_argument(&tracked->others[i], index, size, value);
    if (error == CL_SUCCESS)
        *argument = argument_of(&tracked->info->params[index], size, value);
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

static cl_int ask_part(cl_mem memory, struct fpgacc_part *part)
{
    cl_mem parent = NULL;
    void *host = NULL;
    memset(part, 0, sizeof *part);
    cl_int error = clGetMemObjectInfo(memory, CL_MEM_SIZE, sizeof part->size, &part->size, NULL);
    if (error == CL_SUCCESS)
        error = clGetMemObjectInfo(memory, CL_MEM_ASSOCIATED_MEMOBJECT, sizeof parent, &parent,
                                   NULL);
    cl_mem buffer = parent ? parent : memory;
    if (error == CL_SUCCESS && parent)
        error = clGetMemObjectInfo(memory, CL_MEM_OFFSET, sizeof part->begin, &part->begin, NULL);
    if (error == CL_SUCCESS)
        error = clGetMemObjectInfo(buffer, CL_MEM_FLAGS, sizeof part->flags, &part->flags,
                                   NULL);
    if (error == CL_SUCCESS && (part->flags & CL_MEM_USE_HOST_PTR))
        error = clGetMemObjectInfo(buffer, CL_MEM_HOST_PTR, sizeof host, &host, NULL);
    if (host)
        part->host = (uintptr_t)host + part->begin;
    part->buffer = buffer;
    part->is_known = error == CL_SUCCESS;
    return error;
}

/* The part that an argument is, asked once: nothing of it changes. Of shared virtual memory it is the
 * whole allocation, as kernels may go anywhere in it. */
static cl_int part_of(struct fpgacc_argument *argument)
{
    struct fpgacc_part *part = &argument->part;
    if (argument->kind != FPGACC_SVM)
        return part->is_known ? CL_SUCCESS : ask_part(argument->memory, part);
    uint64_t generation = fpgacc_svm_generation();
    if (part->is_known && part->generation == generation)
        return CL_SUCCESS;
    struct fpgacc_svm memory;
    memset(part, 0, sizeof *part);
    part->generation = generation;
    part->is_known = fpgacc_find_svm((uintptr_t)argument->bits, &memory);
    if (part->is_known) {
        part->host = memory.begin;
        part->size = memory.size;
    }
    return CL_SUCCESS;
}

/* What two parts have in common, in words; NULL: nothing. */
static const char *overlap(const struct fpgacc_part *a, const struct fpgacc_part *b)
{
    if (a->buffer && a->buffer == b->buffer) {
        if (a->begin >= b->begin + b->size || b->begin >= a->begin + a->size)
            return NULL;
        return a->begin == b->begin && a->size == b->size ? "are the same buffer"
                                                          : "are overlapping parts of one buffer";
    }
    if (!a->host || !b->host || a->host >= b->host + b->size || b->host >= a->host + a->size)
        return NULL;
    return a->buffer || b->buffer ? "are buffers over the same host memory"
                                  : "are in one allocation of shared virtual memory";
}

/* Whether an argument is no memory at all. */
static int is_null(const struct fpgacc_argument *argument)
{
    return argument->kind == FPGACC_SVM ? argument->bits == 0 : !argument->memory;
}

/* NULL: the pair is distinct. */
static const char *conflict(struct fpgacc_tracked *kernel, const struct fpgacc_pair *pair,
                            cl_int *error)
{
    struct fpgacc_argument *first = &kernel->arguments[pair->first];
    struct fpgacc_argument *second = &kernel->arguments[pair->second];
    *error = CL_SUCCESS;
    if (first->kind == FPGACC_UNSET || second->kind == FPGACC_UNSET)
        return "are not both set with clSetKernelArg";
    if (is_null(first) || is_null(second))
        return NULL;
    *error = part_of(first);
    if (*error == CL_SUCCESS)
        *error = part_of(second);
    if (*error != CL_SUCCESS)
        return NULL;
    if (!first->part.is_known || !second->part.is_known)
        return "are in shared virtual memory that is not from clSVMAlloc, where an overlap cannot be "
               "seen";
    return overlap(&first->part, &second->part);
}

static cl_int check_pairs(struct fpgacc_tracked *kernel, const struct fpgacc_kernel *info,
                          const struct fpgacc_site *site)
{
    for (uint32_t i = 0; i < info->distinct_count; i++) {
        const struct fpgacc_pair *pair = &info->distinct[i];
        cl_int error = CL_SUCCESS;
        const char *words = kernel->reaches_more
                                ? "may be reached in another way, too (clSetKernelExecInfo)"
                                : conflict(kernel, pair, &error);
        if (error != CL_SUCCESS)
            return error;
        if (!words)
            continue;
        if (site)
            fpgacc_report(FPGACC_ERROR, site,
                          "kernel `%s` is not launched: it was compiled with arguments %u (`%s`) "
                          "and %u (`%s`) as distinct memory, in this launch they %s "
                          "(CL_INVALID_KERNEL_ARGS)\n"
                          "help: compile again with --keep-general, or with -fno-restrict",
                          kernel->info->name, pair->first, info->params[pair->first].name,
                          pair->second, info->params[pair->second].name, words);
        return CL_INVALID_KERNEL_ARGS;
    }
    return CL_SUCCESS;
}

/* Asks where an argument's buffer lies; gives in words why it has none. NULL: it may be NULL, too. */
static const char *not_in_a_buffer(struct fpgacc_argument *argument, cl_int *error)
{
    *error = CL_SUCCESS;
    if (argument->kind == FPGACC_UNSET)
        return "it is not set with clSetKernelArg";
    if (argument->kind == FPGACC_SVM)
        return "it is shared virtual memory";
    if (argument->memory)
        *error = part_of(argument);
    return NULL;
}

/* Why an argument cannot be constant memory of so many bytes, in words; NULL: it can. Nobody writes to
 * parts of a buffer that kernels only read; a buffer in the host's memory may have others beside it. */
static const char *not_constant(struct fpgacc_argument *argument, uint64_t bytes, cl_int *error)
{
    const char *words = not_in_a_buffer(argument, error);
    if (words || !argument->memory || *error != CL_SUCCESS)
        return words;
    if (!(argument->part.flags & CL_MEM_READ_ONLY))
        return "it is a buffer without CL_MEM_READ_ONLY";
    if (argument->part.flags & CL_MEM_USE_HOST_PTR)
        return "it is a buffer in the host's memory";
    return argument->part.size > bytes ? "it is a larger buffer" : NULL;
}

static cl_int check_constants(struct fpgacc_tracked *kernel, const struct fpgacc_kernel *info,
                              const struct fpgacc_site *site)
{
    for (uint32_t i = 0; i < info->constant_count; i++) {
        const struct fpgacc_constant *fact = &info->constants[i];
        cl_int error;
        const char *words = not_constant(&kernel->arguments[fact->param], fact->bytes, &error);
        if (error != CL_SUCCESS)
            return error;
        if (!words)
            continue;
        if (site)
            fpgacc_report(FPGACC_ERROR, site,
                          "kernel `%s` is not launched: it was compiled with argument %u (`%s`) as "
                          "constant memory, at most %llu bytes that no kernel writes, in this "
                          "launch %s (CL_INVALID_KERNEL_ARGS)\n"
                          "help: compile again with a launch facts file (.yaml) that has this "
                          "buffer, with --keep-general, or with -fno-constant-memory",
                          kernel->info->name, fact->param, info->params[fact->param].name,
                          (unsigned long long)fact->bytes, words);
        return CL_INVALID_KERNEL_ARGS;
    }
    return CL_SUCCESS;
}

/* Why an argument may not start at a multiple of so many bytes, in words; NULL: it does. */
static const char *not_aligned(struct fpgacc_tracked *kernel, struct fpgacc_argument *argument,
                               uint64_t bytes, cl_int *error)
{
    if (argument->kind == FPGACC_SVM) {
        *error = CL_SUCCESS;
        return argument->bits % bytes != 0 ? "it is shared virtual memory at another address" : NULL;
    }
    const char *words = not_in_a_buffer(argument, error);
    if (words || !argument->memory || *error != CL_SUCCESS)
        return words;
    if (argument->part.begin % bytes != 0)
        return "it is a part of a buffer at another origin";
    if (argument->part.host % bytes != 0)
        return "it is a buffer in the host's memory at another address";
    if (!kernel->alignment)
        kernel->alignment = fpgacc_context_alignment(kernel->program->context);
    return kernel->alignment % bytes != 0 ? "it is on a device that aligns buffers to less" : NULL;
}

static cl_int check_alignment(struct fpgacc_tracked *kernel, const struct fpgacc_kernel *info,
                              const struct fpgacc_site *site)
{
    for (uint32_t i = 0; i < info->aligned_count; i++) {
        const struct fpgacc_alignment *fact = &info->aligned[i];
        cl_int error;
        const char *words =
            not_aligned(kernel, &kernel->arguments[fact->param], fact->bytes, &error);
        if (error != CL_SUCCESS)
            return error;
        if (!words)
            continue;
        if (site)
            fpgacc_report(FPGACC_ERROR, site,
                          "kernel `%s` is not launched: it was compiled with argument %u (`%s`) "
                          "aligned to %llu bytes, in this launch %s (CL_INVALID_KERNEL_ARGS)\n"
                          "help: compile again with a launch facts file (.yaml) that has this "
                          "buffer, with --keep-general, or with -fno-alignment",
                          kernel->info->name, fact->param, info->params[fact->param].name,
                          (unsigned long long)fact->bytes, words);
        return CL_INVALID_KERNEL_ARGS;
    }
    return CL_SUCCESS;
}

static cl_int check_local_bytes(const struct fpgacc_tracked *kernel,
                                const struct fpgacc_kernel *info, const struct fpgacc_site *site)
{
    for (uint32_t i = 0; i < info->local_bytes_count; i++) {
        const struct fpgacc_local_bytes *fact = &info->local_bytes[i];
        const struct fpgacc_argument *argument = &kernel->arguments[fact->param];
        if (argument->kind == FPGACC_UNSET || argument->size <= fact->bytes)
            continue;
        if (site)
            fpgacc_report(FPGACC_ERROR, site,
                          "kernel `%s` is not launched: it was compiled for at most %llu bytes of "
                          "local memory in argument %u (`%s`), this launch has %zu "
                          "(CL_OUT_OF_RESOURCES)\n"
                          "help: compile again with a launch facts file (.yaml) that has this "
                          "size, or with --keep-general",
                          kernel->info->name, (unsigned long long)fact->bytes, fact->param,
                          info->params[fact->param].name, argument->size);
        return CL_OUT_OF_RESOURCES;
    }
    return CL_SUCCESS;
}

/* A scalar's value in words. */
static void add_scalar(struct fpgacc_text *text, const struct fpgacc_scalar *fact, uint64_t bits)
{
    unsigned unused = 64 - 8 * fact->size;
    if (fact->kind == FPGACC_FLOAT && fact->size == sizeof(float)) {
        float value;
        uint32_t half = (uint32_t)bits;
        memcpy(&value, &half, sizeof value);
        fpgacc_text_add(text, "%.9g", (double)value);
    } else if (fact->kind == FPGACC_FLOAT) {
        double value;
        memcpy(&value, &bits, sizeof value);
        fpgacc_text_add(text, "%.17g", value);
    } else if (fact->kind == FPGACC_SIGNED && (bits << unused) >> 63) {
        fpgacc_text_add(text, "-%llu", (unsigned long long)((0 - (bits << unused)) >> unused));
    } else {
        fpgacc_text_add(text, "%llu", (unsigned long long)bits);
    }
}

static void report_scalar(const struct fpgacc_tracked *kernel, const struct fpgacc_kernel *info,
                          const struct fpgacc_scalar *fact, const struct fpgacc_site *site)
{
    const struct fpgacc_argument *argument = &kernel->arguments[fact->param];
    struct fpgacc_text compiled = {0};
    struct fpgacc_text has = {0};
    add_scalar(&compiled, fact, fact->bits);
    if (argument->kind == FPGACC_UNSET)
        fpgacc_text_add(&has, "it is not set with clSetKernelArg");
    else if (argument->size != fact->size)
        fpgacc_text_add(&has, "it has %zu bytes", argument->size);
    else {
        fpgacc_text_add(&has, "it is ");
        add_scalar(&has, fact, argument->bits);
    }
    fpgacc_report(FPGACC_ERROR, site,
                  "kernel `%s` is not launched: it was compiled with the value %s for argument %u "
                  "(`%s`), in this launch %s (CL_INVALID_KERNEL_ARGS)\n"
                  "help: compile again with a launch facts file (.yaml) that has this launch, with "
                  "--keep-general, or with -fno-specialise",
                  kernel->info->name, compiled.data ? compiled.data : "?", fact->param,
                  info->params[fact->param].name, has.data ? has.data : "it has another");
    fpgacc_text_free(&compiled);
    fpgacc_text_free(&has);
}

static cl_int check_scalars(const struct fpgacc_tracked *kernel, const struct fpgacc_kernel *info,
                            const struct fpgacc_site *site)
{
    for (uint32_t i = 0; i < info->scalar_count; i++) {
        const struct fpgacc_scalar *fact = &info->scalars[i];
        const struct fpgacc_argument *argument = &kernel->arguments[fact->param];
        if (argument->kind == FPGACC_OTHER && argument->size == fact->size &&
            argument->bits == fact->bits)
            continue;
        if (site)
            report_scalar(kernel, info, fact, site);
        return CL_INVALID_KERNEL_ARGS;
    }
    return CL_SUCCESS;
}

cl_int fpgacc_check_arguments(struct fpgacc_tracked *kernel, const struct fpgacc_kernel *info,
                              const struct fpgacc_site *site)
{
    cl_int error = check_scalars(kernel, info, site);
    if (error == CL_SUCCESS)
        error = check_pairs(kernel, info, site);
    if (error == CL_SUCCESS)
        error = check_constants(kernel, info, site);
    if (error == CL_SUCCESS)
        error = check_alignment(kernel, info, site);
    return error == CL_SUCCESS ? check_local_bytes(kernel, info, site) : error;
}
