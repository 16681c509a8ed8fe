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

/* Whether a version has arguments that only the runtime sets. */
static int is_locked(const struct fpgacc_kernel *info)
{
    return info->is_locked || info->hidden_count > 0;
}

/* Makes the object that runs a version: a new one, or a clone of `from`. */
static cl_int make_version(struct fpgacc_version *version, const struct fpgacc_loaded *program,
                           const struct fpgacc_kernel *info, const struct fpgacc_version *from)
{
    static const cl_int any = 0;
    cl_int error = CL_SUCCESS;
    version->info = info;
    version->handle = from ? __real_clCloneKernel(from->handle, &error)
                           : __real_clCreateKernel(program->actual, info->name, &error);
    if (!version->handle)
        return error == CL_SUCCESS ? CL_INVALID_KERNEL_NAME : error;
    if (from || !info->is_locked)
        return CL_SUCCESS;
    return __real_clSetKernelArg(version->handle, info->param_count + info->hidden_count,
                                 sizeof any, &any);
}

/* Makes the objects that run a kernel, new ones or clones of those of `from`. The host's own object runs the
 * first version, unless that is locked: then the host's has arguments that nobody sets, and OpenCL itself
 * refuses to launch it past the runtime. */
static cl_int make_versions(struct fpgacc_tracked *tracked, const struct fpgacc_tracked *from)
{
    const struct fpgacc_kernel *info = tracked->info;
    cl_int error = CL_SUCCESS;
    if (!info)
        return CL_SUCCESS;
    tracked->first.info = info;
    if (is_locked(info))
        error = make_version(&tracked->first, tracked->program, info, from ? &from->first : NULL);
    else
        tracked->first.handle = tracked->handle;
    if (error != CL_SUCCESS || info->other_count == 0)
        return error;
    tracked->others = calloc(info->other_count, sizeof *tracked->others);
    if (!tracked->others)
        return CL_OUT_OF_HOST_MEMORY;
    for (uint32_t i = 0; i < info->other_count && error == CL_SUCCESS; i++)
        error = make_version(&tracked->others[i], tracked->program, &info->others[i],
                             from ? &from->others[i] : NULL);
    return error;
}

static void release_versions(struct fpgacc_tracked *tracked)
{
    uint32_t count = tracked->others ? tracked->info->other_count : 0;
    for (uint32_t i = 0; i < count; i++)
        if (tracked->others[i].handle)
            __real_clReleaseKernel(tracked->others[i].handle);
    free(tracked->others);
    if (tracked->first.handle && tracked->first.handle != tracked->handle)
        __real_clReleaseKernel(tracked->first.handle);
}

/* Registers a kernel of the host, with the objects that run it. NULL on an error. */
static struct fpgacc_tracked *track(cl_kernel kernel, struct fpgacc_loaded *program,
                                    const struct fpgacc_kernel *info,
                                    const struct fpgacc_tracked *from, cl_int *error)
{
    uint32_t count = info ? info->param_count : 0;
    struct fpgacc_tracked *tracked =
        calloc(1, sizeof *tracked + count * sizeof tracked->arguments[0]);
    *error = CL_OUT_OF_HOST_MEMORY;
    if (!tracked)
        return NULL;
    tracked->node.key = kernel;
    tracked->handle = kernel;
    tracked->program = program;
    tracked->info = info;
    *error = make_versions(tracked, from);
    if (*error != CL_SUCCESS) {
        release_versions(tracked);
        free(tracked);
        return NULL;
    }
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
    if (track(kernel, program, info, NULL, error))
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
            track(out[i], loaded, NULL, NULL, &error);
    }
    if (error == CL_SUCCESS && count)
        *count = found;
    return error;
}

cl_kernel __wrap_clCloneKernel(cl_kernel kernel, cl_int *errcode_ret)
{
    cl_int error = CL_INVALID_OPERATION;
    fpgacc_settle();
    cl_kernel clone = __real_clCloneKernel ? __real_clCloneKernel(kernel, &error) : NULL;
    struct fpgacc_tracked *tracked = clone ? fpgacc_find_kernel(kernel) : NULL;
    if (tracked) {
        struct fpgacc_tracked *copy =
            track(clone, tracked->program, tracked->info, tracked, &error);
        if (!copy) {
            __real_clReleaseKernel(clone);
            clone = NULL;
        } else if (tracked->info) {
            pthread_mutex_lock(&tracked->lock);
            copy->reaches_more = tracked->reaches_more;
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
    fpgacc_settle();
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
    release_versions(tracked);
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
