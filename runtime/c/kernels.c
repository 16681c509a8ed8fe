/* Kernel objects: created, cloned, retained, released. */
#include "runtime.h"

#include <stdlib.h>
#include <string.h>

static struct fpgacc_table kernels;

struct fpgacc_tracked *fpgacc_find_kernel(cl_kernel kernel)
{
    pthread_mutex_lock(&fpgacc_lock);
    struct fpgacc_tracked *tracked = (struct fpgacc_tracked *)fpgacc_table_find(&kernels, kernel);
    pthread_mutex_unlock(&fpgacc_lock);
    return tracked;
}

static void release_others(struct fpgacc_version *others, uint32_t count)
{
    for (uint32_t i = 0; others && i < count; i++)
        if (others[i].handle)
            __real_clReleaseKernel(others[i].handle);
    free(others);
}

/* Kernel objects for the other versions of a kernel: new ones, or clones of `from`. NULL if there
 * are none, or on an error. */
static struct fpgacc_version *make_others(const struct fpgacc_loaded *program,
                                          const struct fpgacc_kernel *info,
                                          const struct fpgacc_version *from, cl_int *error)
{
    uint32_t count = info ? info->other_count : 0;
    *error = CL_SUCCESS;
    if (count == 0)
        return NULL;
    struct fpgacc_version *others = calloc(count, sizeof *others);
    if (!others)
        *error = CL_OUT_OF_HOST_MEMORY;
    for (uint32_t i = 0; i < count && *error == CL_SUCCESS; i++) {
        others[i].info = &info->others[i];
        others[i].handle =
            from ? __real_clCloneKernel(from[i].handle, error)
                 : __real_clCreateKernel(program->actual, info->others[i].name, error);
        if (!others[i].handle && *error == CL_SUCCESS)
            *error = CL_INVALID_KERNEL_NAME;
    }
    if (*error == CL_SUCCESS)
        return others;
    release_others(others, count);
    return NULL;
}

/* Takes over `others`. */
static struct fpgacc_tracked *track(cl_kernel kernel, struct fpgacc_loaded *program,
                                    const struct fpgacc_kernel *info,
                                    struct fpgacc_version *others)
{
    uint32_t count = info ? info->param_count : 0;
    struct fpgacc_tracked *tracked =
        calloc(1, sizeof *tracked + count * sizeof tracked->arguments[0]);
    if (!tracked) {
        release_others(others, info ? info->other_count : 0);
        return NULL;
    }
    tracked->others = others;
    tracked->node.key = kernel;
    tracked->handle = kernel;
    tracked->program = program;
    tracked->info = info;
    tracked->first.info = info;
    tracked->first.handle = kernel;
    tracked->nonuniform = program->nonuniform;
    tracked->references = 1;
    pthread_mutex_init(&tracked->lock, NULL);
    pthread_mutex_lock(&fpgacc_lock);
    program->kernels++;
    fpgacc_table_add(&kernels, &tracked->node);
    pthread_mutex_unlock(&fpgacc_lock);
    return tracked;
}

static const struct fpgacc_kernel *find_info(const struct fpgacc_program *variant,
                                             const char *name)
{
    for (uint32_t i = 0; i < variant->kernel_count; i++)
        if (strcmp(variant->kernels[i].name, name) == 0)
            return &variant->kernels[i];
    return NULL;
}

static cl_kernel create(struct fpgacc_loaded *program, const char *name, cl_int *error)
{
    *error = CL_SUCCESS;
    if (program->state != FPGACC_BUILT)
        *error = CL_INVALID_PROGRAM_EXECUTABLE;
    else if (!name)
        *error = CL_INVALID_VALUE;
    const struct fpgacc_kernel *info = NULL;
    if (*error == CL_SUCCESS && fpgacc_describes_kernels(program)) {
        info = find_info(program->variant, name);
        if (!info)
            *error = CL_INVALID_KERNEL_NAME;
    }
    if (*error != CL_SUCCESS)
        return NULL;
    cl_kernel kernel = __real_clCreateKernel(program->actual, name, error);
    if (!kernel)
        return NULL;
    struct fpgacc_version *others = make_others(program, info, NULL, error);
    if (*error == CL_SUCCESS && !track(kernel, program, info, others))
        *error = CL_OUT_OF_HOST_MEMORY;
    if (*error == CL_SUCCESS)
        return kernel;
    __real_clReleaseKernel(kernel);
    return NULL;
}

cl_kernel __wrap_clCreateKernel(cl_program program, const char *name, cl_int *errcode_ret)
{
    struct fpgacc_loaded *loaded = fpgacc_find_program(program);
    if (!loaded || !loaded->is_known)
        return __real_clCreateKernel(program, name, errcode_ret);
    cl_int error;
    cl_kernel kernel = create(loaded, name, &error);
    if (errcode_ret)
        *errcode_ret = error;
    return kernel;
}

/* All kernels of the original text, in its order; those of an .aocx may be others. */
static cl_int create_all(struct fpgacc_loaded *program, cl_kernel *out)
{
    const struct fpgacc_program *variant = program->variant;
    for (uint32_t i = 0; i < variant->kernel_count; i++) {
        cl_int error;
        out[i] = create(program, variant->kernels[i].name, &error);
        if (out[i])
            continue;
        while (i > 0)
            __wrap_clReleaseKernel(out[--i]);
        return error;
    }
    return CL_SUCCESS;
}

cl_int __wrap_clCreateKernelsInProgram(cl_program program, cl_uint num_kernels,
                                       cl_kernel *out, cl_uint *count)
{
    struct fpgacc_loaded *loaded = fpgacc_find_program(program);
    if (!loaded || !loaded->is_known)
        return __real_clCreateKernelsInProgram(program, num_kernels, out, count);
    if (loaded->state != FPGACC_BUILT)
        return CL_INVALID_PROGRAM_EXECUTABLE;
    cl_int error = CL_SUCCESS;
    cl_uint found = 0;
    if (fpgacc_describes_kernels(loaded)) {
        found = loaded->variant->kernel_count;
        if (out && num_kernels < found)
            return CL_INVALID_VALUE;
        if (out)
            error = create_all(loaded, out);
    } else {
        error = __real_clCreateKernelsInProgram(loaded->actual, num_kernels, out, &found);
        for (cl_uint i = 0; out && error == CL_SUCCESS && i < found; i++)
            track(out[i], loaded, NULL, NULL);
    }
    if (error == CL_SUCCESS && count)
        *count = found;
    return error;
}

cl_kernel __wrap_clCloneKernel(cl_kernel kernel, cl_int *errcode_ret)
{
    cl_int error = CL_INVALID_OPERATION;
    cl_kernel clone = __real_clCloneKernel ? __real_clCloneKernel(kernel, &error) : NULL;
    struct fpgacc_tracked *tracked = clone ? fpgacc_find_kernel(kernel) : NULL;
    if (tracked) {
        struct fpgacc_version *others =
            make_others(tracked->program, tracked->info, tracked->others, &error);
        struct fpgacc_tracked *copy =
            error == CL_SUCCESS ? track(clone, tracked->program, tracked->info, others) : NULL;
        if (!copy) {
            __real_clReleaseKernel(clone);
            clone = NULL;
            error = error == CL_SUCCESS ? CL_OUT_OF_HOST_MEMORY : error;
        } else if (tracked->info) {
            pthread_mutex_lock(&tracked->lock);
            memcpy(copy->arguments, tracked->arguments,
                   tracked->info->param_count * sizeof copy->arguments[0]);
            pthread_mutex_unlock(&tracked->lock);
        }
    }
    if (errcode_ret)
        *errcode_ret = error;
    return clone;
}

cl_int __wrap_clRetainKernel(cl_kernel kernel)
{
    cl_int error = __real_clRetainKernel(kernel);
    if (error != CL_SUCCESS)
        return error;
    pthread_mutex_lock(&fpgacc_lock);
    struct fpgacc_tracked *tracked = (struct fpgacc_tracked *)fpgacc_table_find(&kernels, kernel);
    if (tracked)
        tracked->references++;
    pthread_mutex_unlock(&fpgacc_lock);
    return CL_SUCCESS;
}

cl_int __wrap_clReleaseKernel(cl_kernel kernel)
{
    /* Forgotten before it is released: its address may be given out again at once. */
    pthread_mutex_lock(&fpgacc_lock);
    struct fpgacc_tracked *tracked = (struct fpgacc_tracked *)fpgacc_table_find(&kernels, kernel);
    int dead = tracked && --tracked->references == 0;
    if (dead)
        fpgacc_table_remove(&kernels, &tracked->node);
    pthread_mutex_unlock(&fpgacc_lock);
    cl_int error = __real_clReleaseKernel(kernel);
    if (!dead)
        return error;
    struct fpgacc_loaded *program = tracked->program;
    release_others(tracked->others, tracked->info ? tracked->info->other_count : 0);
    pthread_mutex_destroy(&tracked->lock);
    free(tracked);
    pthread_mutex_lock(&fpgacc_lock);
    program->kernels--;
    fpgacc_unlock_and_collect(program);
    return error;
}

__attribute__((destructor)) static void at_end(void)
{
    if (kernels.count > 0)
        fpgacc_trace("%zu kernel%s not released", kernels.count, kernels.count == 1 ? "" : "s");
}
