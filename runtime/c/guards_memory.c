/* Guards of the memory that arguments are: where it lies, how it may be used, what overlaps. */
#include "runtime.h"

#include <string.h>

/* ---- where an argument lies ----------------------------------------------------------------- */

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

const struct fpgacc_part *fpgacc_part_of(struct fpgacc_argument *argument)
{
    return part_of(argument) == CL_SUCCESS && argument->part.is_known ? &argument->part : NULL;
}

/* What two parts have in common, as text; NULL: nothing. */
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

/* ---- distinct memory ------------------------------------------------------------------------ */

/* NULL: they are distinct. */
static const char *conflict(struct fpgacc_argument *first, struct fpgacc_argument *second,
                            cl_int *error)
{
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

cl_int fpgacc_guard_distinct(const struct fpgacc_launch *launch, const struct fpgacc_guard *guard,
                             struct fpgacc_refusal *refusal)
{
    struct fpgacc_tracked *kernel = launch->kernel;
    uint32_t first = guard->of.pair.first;
    uint32_t second = guard->of.pair.second;
    cl_int error = CL_SUCCESS;
    const char *words = kernel->reaches_more
                            ? "may be reached in another way, too (clSetKernelExecInfo)"
                            : conflict(&kernel->arguments[first], &kernel->arguments[second], &error);
    if (!words)
        return error;
    if (refusal) {
        fpgacc_text_add(&refusal->what,
                        "with arguments %u (`%s`) and %u (`%s`) as distinct memory, in this launch "
                        "they %s",
                        first, launch->info->params[first].name, second,
                        launch->info->params[second].name, words);
        fpgacc_text_add(&refusal->help, "--keep-general, or with -fno-restrict");
    }
    return CL_INVALID_KERNEL_ARGS;
}

/* ---- one argument --------------------------------------------------------------------------- */

/* Asks where an argument's buffer lies; gives as text why it has none. NULL: it may be NULL, too. */
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

/* Why an argument cannot be constant memory of so many bytes, as text; NULL: it can. Nobody writes to
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

cl_int fpgacc_guard_constant(const struct fpgacc_launch *launch, const struct fpgacc_guard *guard,
                             struct fpgacc_refusal *refusal)
{
    uint32_t param = guard->of.memory.param;
    uint64_t bytes = guard->of.memory.bytes;
    cl_int error;
    const char *words = not_constant(&launch->kernel->arguments[param], bytes, &error);
    if (!words)
        return error;
    if (refusal) {
        fpgacc_text_add(&refusal->what,
                        "with argument %u (`%s`) as constant memory, at most %llu bytes that no "
                        "kernel writes, in this launch %s",
                        param, launch->info->params[param].name, (unsigned long long)bytes, words);
        fpgacc_text_add(&refusal->help, "a launch facts file (.yaml) that has this buffer, with "
                                        "--keep-general, or with -fno-constant-memory");
    }
    return CL_INVALID_KERNEL_ARGS;
}

/* Why an argument may not start at a multiple of so many bytes, as text; NULL: it does. */
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

cl_int fpgacc_guard_aligned(const struct fpgacc_launch *launch, const struct fpgacc_guard *guard,
                            struct fpgacc_refusal *refusal)
{
    struct fpgacc_tracked *kernel = launch->kernel;
    uint32_t param = guard->of.memory.param;
    uint64_t bytes = guard->of.memory.bytes;
    cl_int error;
    const char *words = not_aligned(kernel, &kernel->arguments[param], bytes, &error);
    if (!words)
        return error;
    if (refusal) {
        fpgacc_text_add(&refusal->what,
                        "with argument %u (`%s`) aligned to %llu bytes, in this launch %s", param,
                        launch->info->params[param].name, (unsigned long long)bytes, words);
        fpgacc_text_add(&refusal->help, "a launch facts file (.yaml) that has this buffer, with "
                                        "--keep-general, or with -fno-alignment");
    }
    return CL_INVALID_KERNEL_ARGS;
}
