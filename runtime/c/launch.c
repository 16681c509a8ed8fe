/* Launches: kernels that became one work-item get their NDRange as arguments. */
#include "runtime.h"
#define FPGACC_RUNTIME
#include "fpgacc_rt.h"

#include <string.h>

/* What is passed on to the real enqueue in any case. */
struct dependencies {
    cl_uint num_events;
    const cl_event *wait_list;
    cl_event *event;
};

/* What the host asks for. `global` is NULL, or has a zero, if there is nothing to do. */
struct range {
    cl_uint work_dim;
    const size_t *offset;
    const size_t *global;
    const size_t *local;
};

static void trace_launch(const struct fpgacc_site *site, const struct fpgacc_tracked *kernel,
                         const struct fpgacc_version *version,
                         const struct fpgacc_geometry *geometry, int is_chosen)
{
    if (!fpgacc_verbose())
        return;
    struct fpgacc_text text = {0};
    fpgacc_add_site(&text, site);
    fpgacc_text_add(&text, ": kernel `%s` launched ", kernel->info->name);
    if (version->info != kernel->info)
        fpgacc_text_add(&text, "in its version `%s` ", version->info->name);
    if (version->info->form == FPGACC_COARSENED) {
        fpgacc_text_add(&text, "with %zu %s as one in dimension %u",
                        version->info->coarsened.factor,
                        version->info->coarsened.merges_items ? "work-items" : "work-groups",
                        version->info->coarsened.dim);
        if (version->info->coarsened.lanes > 1)
            fpgacc_text_add(&text, ", after %zu neighbours", version->info->coarsened.lanes);
    } else if (version->info->form == FPGACC_TASK) {
        fpgacc_text_add(&text, "as one work-item: offset ");
        fpgacc_add_sizes(&text, geometry->offset, geometry->work_dim);
        fpgacc_text_add(&text, ", global size ");
        fpgacc_add_sizes(&text, geometry->global, geometry->work_dim);
        fpgacc_text_add(&text, ", local size ");
        fpgacc_add_sizes(&text, geometry->local, geometry->work_dim);
    } else if (!is_chosen) {
        fpgacc_text_add(&text, "as the host says");
    }
    if (is_chosen) {
        int is_range = version->info->form == FPGACC_NDRANGE;
        fpgacc_text_add(&text, "%swith the local size ", is_range ? "" : ", ");
        fpgacc_add_sizes(&text, geometry->local, geometry->work_dim);
        fpgacc_text_add(&text, " in place of the host's");
    }
    fpgacc_trace("%s", text.data ? text.data : "");
    fpgacc_text_free(&text);
}

static cl_int hidden_value(const struct fpgacc_hidden *hidden,
                           const struct fpgacc_geometry *geometry, unsigned steps)
{
    switch (hidden->kind) {
    case FPGACC_HIDDEN_OFFSET:
        return (cl_int)geometry->offset[hidden->dim];
    case FPGACC_HIDDEN_GLOBAL:
        return (cl_int)geometry->global[hidden->dim];
    case FPGACC_HIDDEN_LOCAL:
        return (cl_int)geometry->local[hidden->dim];
    case FPGACC_HIDDEN_STEPS:
        return (cl_int)steps;
    case FPGACC_HIDDEN_WORK_DIM:
        break;
    }
    return (cl_int)geometry->work_dim;
}

cl_int fpgacc_set_hidden(const struct fpgacc_version *version,
                         const struct fpgacc_geometry *geometry, unsigned steps,
                         const struct fpgacc_site *site)
{
    const struct fpgacc_kernel *info = version->info;
    for (uint32_t i = 0; i < info->hidden_count; i++) {
        cl_int value = hidden_value(&info->hidden[i], geometry, steps);
        cl_int error =
            __real_clSetKernelArg(version->handle, info->param_count + i, sizeof value, &value);
        if (error == CL_SUCCESS)
            continue;
        fpgacc_report(FPGACC_ERROR, site,
                      "kernel `%s` is not launched: the .aocx has another kernel of this name "
                      "than the executable (%s for argument %u)\n"
                      "help: compile both again with fpgacc",
                      info->name, fpgacc_error_name(error), info->param_count + i);
        return CL_INVALID_KERNEL_ARGS;
    }
    return CL_SUCCESS;
}

/* A global size of zero, or none: an error before OpenCL 2.1, nothing to do from then on. The
 * implementation knows which, and the events stay as it makes them. */
static cl_int launch_nothing(const struct fpgacc_version *version, cl_command_queue queue,
                             const struct range *range, const struct fpgacc_site *site,
                             const struct dependencies *after)
{
    static const size_t ones[3] = {1, 1, 1};
    struct fpgacc_geometry nothing = {range->work_dim, {0, 0, 0}, {0, 0, 0}, {1, 1, 1}};
    cl_int error = fpgacc_set_hidden(version, &nothing, 1, site);
    if (error != CL_SUCCESS)
        return error;
    return __real_clEnqueueNDRangeKernel(queue, version->handle, range->work_dim, NULL,
                                         range->global, ones, after->num_events, after->wait_list,
                                         after->event);
}

/* Some implementations do not survive a wait list without events. */
static int is_bad_wait_list(const struct dependencies *after)
{
    return (after->num_events == 0) != (after->wait_list == NULL);
}

static int has_zero(const size_t *sizes, cl_uint count)
{
    for (cl_uint d = 0; d < count; d++)
        if (sizes[d] == 0)
            return 1;
    return 0;
}

/* Whether a version can take a launch: CL_SUCCESS; else the error of the guard that does not hold, which
 * is reported unless `site` is NULL. `geometry` becomes that of the launch. What no version may take sets
 * `is_invalid`. */
static cl_int check_version(struct fpgacc_tracked *kernel, const struct fpgacc_kernel *info,
                            const struct fpgacc_limits *limits, const struct range *range,
                            struct fpgacc_geometry *geometry, int *is_invalid,
                            const struct fpgacc_site *site)
{
    struct fpgacc_launch launch = {kernel, info, geometry, range->local != NULL};
    if (info->form == FPGACC_TASK) {
        cl_int error = fpgacc_geometry_fill(geometry, kernel, info, limits, range->offset,
                                            range->global, range->local);
        *is_invalid = error != CL_SUCCESS;
        if (error != CL_SUCCESS)
            return error;
    } else if (!fpgacc_geometry_take(geometry, range->offset, range->global, range->local)) {
        launch.geometry = NULL;
    }
    return fpgacc_check_guards(&launch, site);
}

/* The local size that a launch by a version gets in place of the host's, into `local`; 0: the host's stays. */
static int choose_local(const struct fpgacc_tracked *kernel, const struct fpgacc_version *version,
                        cl_device_id device, const struct fpgacc_limits *limits,
                        const struct range *range, size_t local[3])
{
    struct fpgacc_geometry geometry = {range->work_dim, {0, 0, 0}, {1, 1, 1}, {1, 1, 1}};
    size_t most = 0;
    if (!version->info->chosen_count || !device ||
        !fpgacc_geometry_take(&geometry, range->offset, range->global, range->local) ||
        has_zero(range->global, range->work_dim))
        return 0;
    cl_int error = __real_clGetKernelWorkGroupInfo(
        version->handle, device, CL_KERNEL_WORK_GROUP_SIZE, sizeof most, &most, NULL);
    if (error != CL_SUCCESS || !fpgacc_geometry_choose(&geometry, kernel, version->info, limits,
                                                       most, range->local != NULL))
        return 0;
    for (unsigned d = 0; d < 3; d++)
        local[d] = geometry.local[d];
    return 1;
}

/* Says why the first version of a kernel cannot take a launch, and which error that is. */
static cl_int report_first(struct fpgacc_tracked *kernel, cl_device_id device,
                           const struct range *range, const struct fpgacc_site *site)
{
    struct fpgacc_limits limits;
    struct fpgacc_geometry geometry = {range->work_dim, {0, 0, 0}, {1, 1, 1}, {1, 1, 1}};
    int is_invalid = 0;
    cl_int error = device ? fpgacc_device_limits(device, &limits) : CL_SUCCESS;
    return error != CL_SUCCESS
               ? error
               : check_version(kernel, kernel->info, &limits, range, &geometry, &is_invalid, site);
}

/* Finds the first version whose guards hold, and sets what it gets as hidden arguments. NULL: none,
 * and the error of the first. `device` is that of a kernel which the runtime judges the range of, or chooses
 * a local size for. `range` becomes that of the version, with the sizes in `local` where they are chosen, and
 * `geometry` that of the launch.
 * With the kernel's lock held. */
static const struct fpgacc_version *choose(struct fpgacc_tracked *kernel, cl_device_id device,
                                           struct range *range, size_t local[3],
                                           struct fpgacc_geometry *geometry,
                                           const struct fpgacc_site *site, cl_int *error)
{
    struct fpgacc_limits limits;
    *geometry = (struct fpgacc_geometry){range->work_dim, {0, 0, 0}, {1, 1, 1}, {1, 1, 1}};
    struct range own = *range;
    uint32_t count = 1 + kernel->info->other_count;
    int is_invalid = 0;
    const struct fpgacc_version *version = NULL;
    *error = device ? fpgacc_device_limits(device, &limits) : CL_SUCCESS;
    for (uint32_t i = 0; i < count && *error == CL_SUCCESS && !version && !is_invalid; i++) {
        const struct fpgacc_version *one = i ? &kernel->others[i - 1] : &kernel->first;
        int is_chosen = choose_local(kernel, one, device, &limits, range, local);
        own.local = is_chosen ? local : range->local;
        cl_int broken =
            check_version(kernel, one->info, &limits, &own, geometry, &is_invalid, NULL);
        if (broken == CL_SUCCESS)
            version = one;
        else if (is_invalid)
            *error = broken;
    }
    if (is_invalid && fpgacc_verbose())
        fpgacc_trace("kernel `%s` is not launched: %s", kernel->info->name,
                     fpgacc_error_name(*error));
    if (*error == CL_SUCCESS && !version)
        *error = report_first(kernel, device, range, site);
    if (version && version->info->form == FPGACC_TASK)
        *error = fpgacc_set_hidden(version, geometry, 1, site);
    if (version && *error == CL_SUCCESS)
        trace_launch(site, kernel, version, geometry, own.local != range->local);
    *range = own;
    return *error == CL_SUCCESS ? version : NULL;
}

/* Whether some version of a kernel is a single work-item: the runtime then judges the range. */
static int has_task(const struct fpgacc_kernel *info)
{
    int found = info->form == FPGACC_TASK;
    for (uint32_t i = 0; i < info->other_count; i++)
        found = found || info->others[i].form == FPGACC_TASK;
    return found;
}

/* Whether some version of a kernel may get another local size than the host's. */
static int has_chosen(const struct fpgacc_kernel *info)
{
    int found = info->chosen_count > 0;
    for (uint32_t i = 0; i < info->other_count; i++)
        found = found || info->others[i].chosen_count > 0;
    return found;
}

/* A launch over an NDRange, which for a coarsened kernel is a smaller one than the host's. What no kernel
 * takes is the implementation's to refuse. */
static cl_int launch_range(cl_command_queue queue, const struct fpgacc_version *version,
                           const struct range *range, const struct dependencies *after)
{
    struct fpgacc_geometry geometry = {range->work_dim, {0, 0, 0}, {1, 1, 1}, {1, 1, 1}};
    const size_t *global = range->global;
    const size_t *local = range->local;
    if (version->info->form == FPGACC_COARSENED &&
        fpgacc_geometry_take(&geometry, range->offset, range->global, range->local)) {
        fpgacc_geometry_coarsen(&geometry, version->info);
        global = geometry.global;
        local = local ? geometry.local : NULL;
    }
    return __real_clEnqueueNDRangeKernel(queue, version->handle, range->work_dim, range->offset,
                                         global, local, after->num_events, after->wait_list,
                                         after->event);
}

/* `*used` is what ran in the end. */
static cl_int enqueue_tracked(const struct fpgacc_site *site, cl_command_queue queue,
                              struct fpgacc_tracked *kernel, const struct range *range,
                              const struct dependencies *after, const struct fpgacc_kernel **used)
{
    static const size_t one = 1;
    cl_device_id device = NULL;
    cl_int error = CL_SUCCESS;
    struct range own = *range;
    size_t local[3];
    if (has_task(kernel->info) || has_chosen(kernel->info)) {
        error = clGetCommandQueueInfo(queue, CL_QUEUE_DEVICE, sizeof device, &device, NULL);
        if (error != CL_SUCCESS)
            return error;
    }
    if (has_task(kernel->info)) {
        if (range->work_dim < 1 || range->work_dim > 3)
            return CL_INVALID_WORK_DIMENSION;
        if (is_bad_wait_list(after))
            return CL_INVALID_EVENT_WAIT_LIST;
        if (!range->global || has_zero(range->global, range->work_dim)) {
            if (fpgacc_has_steps(kernel->info))
                fpgacc_settle_locked(kernel);
            return launch_nothing(&kernel->first, queue, range, site, after);
        }
    }
    struct fpgacc_geometry geometry;
    const struct fpgacc_version *version =
        choose(kernel, device, &own, local, &geometry, site, &error);
    if (!version)
        return error;
    *used = version->info;
    int is_alone = after->num_events == 0 && !after->event;
    if (is_alone && fpgacc_put_off(queue, kernel, version, &geometry, &error))
        return error;
    if (fpgacc_has_steps(kernel->info)) {
        error = fpgacc_settle_locked(kernel);
        if (error == CL_SUCCESS && version->info->form == FPGACC_TASK)
            error = fpgacc_set_hidden(version, &geometry, 1, site);
        if (error != CL_SUCCESS)
            return error;
    }
    if (version->info->form == FPGACC_TASK)
        return __real_clEnqueueNDRangeKernel(queue, version->handle, 1, NULL, &one, &one,
                                             after->num_events, after->wait_list, after->event);
    error = launch_range(queue, version, &own, after);
    if (error == CL_SUCCESS && version->info->is_spare)
        report_first(kernel, device, range, site);
    return error;
}

/* Where a launch is made: of one without a line, where the host launches the kernel, as far as its analysis found it. */
static struct fpgacc_site site_of_launch(const struct fpgacc_site *site,
                                         const struct fpgacc_kernel *kernel)
{
#ifndef FPGACC_LAYER
    for (uint32_t i = 0; !site->file && i < fpgacc_manifest.launched_count; i++)
        if (strcmp(fpgacc_manifest.launched_at[i].kernel, kernel->name) == 0)
            return (struct fpgacc_site){fpgacc_manifest.launched_at[i].at, 0};
#endif
    (void)kernel;
    return *site;
}

static cl_int enqueue_ndrange(const struct fpgacc_site *site, cl_command_queue queue,
                              cl_kernel kernel, const struct range *range,
                              const struct dependencies *after)
{
    struct fpgacc_tracked *tracked = fpgacc_find_kernel(kernel);
    const struct fpgacc_kernel *used = tracked ? tracked->info : NULL;
    int has_steps = used && fpgacc_has_steps(used);
    fpgacc_note_launch();
    cl_int error = has_steps ? CL_SUCCESS : fpgacc_settle();
    if (error != CL_SUCCESS)
        return error;
    if (used) {
        if (has_steps)
            fpgacc_steps_lock();
        pthread_mutex_lock(&tracked->lock);
        struct fpgacc_site at = site_of_launch(site, used);
        error = enqueue_tracked(&at, queue, tracked, range, after, &used);
        pthread_mutex_unlock(&tracked->lock);
        if (has_steps)
            fpgacc_steps_unlock();
    } else {
        error = __real_clEnqueueNDRangeKernel(queue, kernel, range->work_dim, range->offset,
                                              range->global, range->local, after->num_events,
                                              after->wait_list, after->event);
    }
    fpgacc_record_launch(kernel, used, error, site);
    return error;
}

/* A task of the host is an NDRange of one work-item; it stays a task for the host's events. */
static cl_int enqueue_tracked_task(const struct fpgacc_site *site, cl_command_queue queue,
                                   struct fpgacc_tracked *kernel, const struct dependencies *after,
                                   const struct fpgacc_kernel **used)
{
    static const size_t one = 1;
    struct range range = {1, NULL, &one, &one};
    size_t local[3];
    cl_device_id device = NULL;
    cl_int error =
        clGetCommandQueueInfo(queue, CL_QUEUE_DEVICE, sizeof device, &device, NULL);
    if (error != CL_SUCCESS)
        return error;
    if (is_bad_wait_list(after))
        return CL_INVALID_EVENT_WAIT_LIST;
    struct fpgacc_geometry geometry;
    const struct fpgacc_version *version =
        choose(kernel, device, &range, local, &geometry, site, &error);
    if (!version)
        return error;
    *used = version->info;
    error = __real_clEnqueueTask(queue, version->handle, after->num_events, after->wait_list,
                                 after->event);
    if (error == CL_SUCCESS && version->info->is_spare)
        report_first(kernel, device, &range, site);
    return error;
}

static cl_int enqueue_task(const struct fpgacc_site *site, cl_command_queue queue,
                           cl_kernel kernel, const struct dependencies *after)
{
    struct fpgacc_tracked *tracked = fpgacc_find_kernel(kernel);
    const struct fpgacc_kernel *used = tracked ? tracked->info : NULL;
    fpgacc_note_launch();
    cl_int error = fpgacc_settle();
    if (error != CL_SUCCESS)
        return error;
    if (used) {
        pthread_mutex_lock(&tracked->lock);
        struct fpgacc_site at = site_of_launch(site, used);
        error = enqueue_tracked_task(&at, queue, tracked, after, &used);
        pthread_mutex_unlock(&tracked->lock);
    } else {
        error = __real_clEnqueueTask(queue, kernel, after->num_events, after->wait_list,
                                     after->event);
    }
    fpgacc_record_launch(kernel, used, error, site);
    return error;
}

cl_int fpgacc_clEnqueueNDRangeKernel(const char *file, int line, cl_command_queue queue,
                                     cl_kernel kernel, cl_uint work_dim, const size_t *offset,
                                     const size_t *global, const size_t *local,
                                     cl_uint num_events, const cl_event *wait_list,
                                     cl_event *event)
{
    struct fpgacc_site site = {file, line};
    struct range range = {work_dim, offset, global, local};
    struct dependencies after = {num_events, wait_list, event};
    return enqueue_ndrange(&site, queue, kernel, &range, &after);
}

cl_int fpgacc_clEnqueueTask(const char *file, int line, cl_command_queue queue, cl_kernel kernel,
                            cl_uint num_events, const cl_event *wait_list, cl_event *event)
{
    struct fpgacc_site site = {file, line};
    struct dependencies after = {num_events, wait_list, event};
    return enqueue_task(&site, queue, kernel, &after);
}

cl_int __wrap_clEnqueueNDRangeKernel(cl_command_queue queue, cl_kernel kernel, cl_uint work_dim,
                                     const size_t *offset, const size_t *global,
                                     const size_t *local, cl_uint num_events,
                                     const cl_event *wait_list, cl_event *event)
{
    struct fpgacc_site nowhere = {NULL, 0};
    struct range range = {work_dim, offset, global, local};
    struct dependencies after = {num_events, wait_list, event};
    return enqueue_ndrange(&nowhere, queue, kernel, &range, &after);
}

cl_int __wrap_clEnqueueTask(cl_command_queue queue, cl_kernel kernel, cl_uint num_events,
                            const cl_event *wait_list, cl_event *event)
{
    struct fpgacc_site nowhere = {NULL, 0};
    struct dependencies after = {num_events, wait_list, event};
    return enqueue_task(&nowhere, queue, kernel, &after);
}
