/* Launches: kernels that became one work-item get their NDRange as arguments. */
#include "runtime.h"
#include "fpgacc_rt.h"

/* What is passed on to the real enqueue in any case. */
struct dependencies {
    cl_uint num_events;
    const cl_event *wait_list;
    cl_event *event;
};

static void trace_launch(const struct fpgacc_site *site, const struct fpgacc_kernel *info,
                         const struct fpgacc_geometry *geometry)
{
    if (!fpgacc_verbose())
        return;
    struct fpgacc_text text = {0};
    fpgacc_add_site(&text, site);
    fpgacc_text_add(&text, ": kernel `%s` launched as one work-item: offset ", info->name);
    fpgacc_add_sizes(&text, geometry->offset, geometry->work_dim);
    fpgacc_text_add(&text, ", global size ");
    fpgacc_add_sizes(&text, geometry->global, geometry->work_dim);
    fpgacc_text_add(&text, ", local size ");
    fpgacc_add_sizes(&text, geometry->local, geometry->work_dim);
    fpgacc_trace("%s", text.data ? text.data : "");
    fpgacc_text_free(&text);
}

static cl_int hidden_value(const struct fpgacc_hidden *hidden,
                           const struct fpgacc_geometry *geometry)
{
    switch (hidden->kind) {
    case FPGACC_HIDDEN_OFFSET:
        return (cl_int)geometry->offset[hidden->dim];
    case FPGACC_HIDDEN_GLOBAL:
        return (cl_int)geometry->global[hidden->dim];
    case FPGACC_HIDDEN_LOCAL:
        return (cl_int)geometry->local[hidden->dim];
    case FPGACC_HIDDEN_WORK_DIM:
        break;
    }
    return (cl_int)geometry->work_dim;
}

static cl_int set_hidden(const struct fpgacc_tracked *kernel,
                         const struct fpgacc_geometry *geometry, const struct fpgacc_site *site)
{
    const struct fpgacc_kernel *info = kernel->info;
    for (uint32_t i = 0; i < info->hidden_count; i++) {
        cl_int value = hidden_value(&info->hidden[i], geometry);
        cl_int error =
            __real_clSetKernelArg(kernel->handle, info->param_count + i, sizeof value, &value);
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
static cl_int launch_nothing(struct fpgacc_tracked *kernel, cl_command_queue queue,
                             cl_uint work_dim, const size_t *global,
                             const struct fpgacc_site *site, const struct dependencies *after)
{
    static const size_t ones[3] = {1, 1, 1};
    struct fpgacc_geometry nothing = {work_dim, {0, 0, 0}, {0, 0, 0}, {1, 1, 1}};
    cl_int error = set_hidden(kernel, &nothing, site);
    if (error != CL_SUCCESS)
        return error;
    return __real_clEnqueueNDRangeKernel(queue, kernel->handle, work_dim, NULL, global, ones,
                                         after->num_events, after->wait_list, after->event);
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

/* Everything between the host's call and the enqueue of the task kernel: the arguments that the
 * NDRange becomes. With the kernel's lock held. */
static cl_int prepare_task(struct fpgacc_tracked *kernel, cl_device_id device,
                           cl_uint work_dim, const size_t *offset, const size_t *global,
                           const size_t *local, const struct fpgacc_site *site)
{
    struct fpgacc_limits limits;
    struct fpgacc_geometry geometry = {work_dim, {0, 0, 0}, {1, 1, 1}, {1, 1, 1}};
    cl_int error = fpgacc_device_limits(device, &limits);
    if (error == CL_SUCCESS)
        error = fpgacc_geometry_fill(&geometry, kernel, &limits, offset, global, local);
    if (error != CL_SUCCESS) {
        if (fpgacc_verbose())
            fpgacc_trace("kernel `%s` is not launched: %s", kernel->info->name,
                         fpgacc_error_name(error));
        return error;
    }
    error = fpgacc_check_facts(&geometry, kernel, local != NULL, site);
    if (error == CL_SUCCESS)
        error = fpgacc_check_arguments(kernel, site);
    if (error == CL_SUCCESS)
        error = set_hidden(kernel, &geometry, site);
    if (error == CL_SUCCESS)
        trace_launch(site, kernel->info, &geometry);
    return error;
}

static cl_int launch_task(struct fpgacc_tracked *kernel, cl_command_queue queue,
                          cl_uint work_dim, const size_t *offset, const size_t *global,
                          const size_t *local, const struct fpgacc_site *site,
                          const struct dependencies *after)
{
    static const size_t one = 1;
    cl_device_id device = NULL;
    cl_int error =
        clGetCommandQueueInfo(queue, CL_QUEUE_DEVICE, sizeof device, &device, NULL);
    if (error != CL_SUCCESS)
        return error;
    if (work_dim < 1 || work_dim > 3)
        return CL_INVALID_WORK_DIMENSION;
    if (is_bad_wait_list(after))
        return CL_INVALID_EVENT_WAIT_LIST;
    if (!global || has_zero(global, work_dim))
        return launch_nothing(kernel, queue, work_dim, global, site, after);
    error = prepare_task(kernel, device, work_dim, offset, global, local, site);
    if (error != CL_SUCCESS)
        return error;
    return __real_clEnqueueNDRangeKernel(queue, kernel->handle, 1, NULL, &one, &one,
                                         after->num_events, after->wait_list, after->event);
}

static void trace_ndrange(const struct fpgacc_tracked *kernel, const struct fpgacc_site *site)
{
    struct fpgacc_text text = {0};
    if (!fpgacc_verbose())
        return;
    fpgacc_add_site(&text, site);
    fpgacc_trace("%s: kernel `%s` launched as the host says", text.data ? text.data : "",
                 kernel->info->name);
    fpgacc_text_free(&text);
}

static cl_int enqueue_tracked(const struct fpgacc_site *site, cl_command_queue queue,
                              struct fpgacc_tracked *tracked, cl_uint work_dim, const size_t *offset,
                              const size_t *global, const size_t *local,
                              const struct dependencies *after)
{
    cl_int error;
    pthread_mutex_lock(&tracked->lock);
    if (tracked->info->form == FPGACC_TASK) {
        error = launch_task(tracked, queue, work_dim, offset, global, local, site, after);
    } else {
        error = fpgacc_check_arguments(tracked, site);
        if (error == CL_SUCCESS) {
            trace_ndrange(tracked, site);
            error = __real_clEnqueueNDRangeKernel(queue, tracked->handle, work_dim, offset, global,
                                                  local, after->num_events, after->wait_list,
                                                  after->event);
        }
    }
    pthread_mutex_unlock(&tracked->lock);
    return error;
}

static cl_int enqueue_ndrange(const struct fpgacc_site *site, cl_command_queue queue,
                              cl_kernel kernel, cl_uint work_dim, const size_t *offset,
                              const size_t *global, const size_t *local,
                              const struct dependencies *after)
{
    struct fpgacc_tracked *tracked = fpgacc_find_kernel(kernel);
    cl_int error;
    if (tracked && tracked->info)
        error = enqueue_tracked(site, queue, tracked, work_dim, offset, global, local, after);
    else
        error = __real_clEnqueueNDRangeKernel(queue, kernel, work_dim, offset, global, local,
                                              after->num_events, after->wait_list, after->event);
    fpgacc_record_launch(kernel, tracked ? tracked->info : NULL, error, site);
    return error;
}

/* A task of the host is an NDRange of one work-item; it stays a task for the host's events. */
static cl_int enqueue_tracked_task(const struct fpgacc_site *site, cl_command_queue queue,
                                   struct fpgacc_tracked *tracked,
                                   const struct dependencies *after)
{
    static const size_t one = 1;
    cl_device_id device = NULL;
    cl_int error =
        clGetCommandQueueInfo(queue, CL_QUEUE_DEVICE, sizeof device, &device, NULL);
    if (error != CL_SUCCESS)
        return error;
    if (is_bad_wait_list(after))
        return CL_INVALID_EVENT_WAIT_LIST;
    pthread_mutex_lock(&tracked->lock);
    if (tracked->info->form == FPGACC_TASK)
        error = prepare_task(tracked, device, 1, NULL, &one, &one, site);
    else
        error = fpgacc_check_arguments(tracked, site);
    if (error == CL_SUCCESS)
        error = __real_clEnqueueTask(queue, tracked->handle, after->num_events, after->wait_list,
                                     after->event);
    pthread_mutex_unlock(&tracked->lock);
    return error;
}

static cl_int enqueue_task(const struct fpgacc_site *site, cl_command_queue queue,
                           cl_kernel kernel, const struct dependencies *after)
{
    struct fpgacc_tracked *tracked = fpgacc_find_kernel(kernel);
    cl_int error;
    if (tracked && tracked->info)
        error = enqueue_tracked_task(site, queue, tracked, after);
    else
        error = __real_clEnqueueTask(queue, kernel, after->num_events, after->wait_list,
                                     after->event);
    fpgacc_record_launch(kernel, tracked ? tracked->info : NULL, error, site);
    return error;
}

cl_int fpgacc_clEnqueueNDRangeKernel(const char *file, int line, cl_command_queue queue,
                                     cl_kernel kernel, cl_uint work_dim, const size_t *offset,
                                     const size_t *global, const size_t *local,
                                     cl_uint num_events, const cl_event *wait_list,
                                     cl_event *event)
{
    struct fpgacc_site site = {file, line};
    struct dependencies after = {num_events, wait_list, event};
    return enqueue_ndrange(&site, queue, kernel, work_dim, offset, global, local, &after);
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
    struct dependencies after = {num_events, wait_list, event};
    return enqueue_ndrange(&nowhere, queue, kernel, work_dim, offset, global, local, &after);
}

cl_int __wrap_clEnqueueTask(cl_command_queue queue, cl_kernel kernel, cl_uint num_events,
                            const cl_event *wait_list, cl_event *event)
{
    struct fpgacc_site nowhere = {NULL, 0};
    struct dependencies after = {num_events, wait_list, event};
    return enqueue_task(&nowhere, queue, kernel, &after);
}
