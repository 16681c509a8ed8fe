/* Launches, and how long their kernels ran. */
#include "trace.h"

#include <stdlib.h>
#include <string.h>

struct launch *all_launches;

/* ---- what was passed -------------------------------------------------------------------------- */

static void add_memory(struct argument_seen *seen, const struct argument *argument)
{
    if (!argument->memory) {
        seen->is_null = 1;
        return;
    }
    const struct live *live = memory_find(argument->memory);
    if (!live) {
        seen->is_foreign = 1;
        return;
    }
    for (unsigned i = 0; i < seen->memory_count; i++)
        if (seen->memory[i] == live->memory)
            return;
    if (seen->memory_count == MEMORY_MOST)
        seen->is_memory_many = 1;
    else
        seen->memory[seen->memory_count++] = live->memory;
}

static void add_value(struct argument_seen *seen, const struct argument *argument)
{
    uint64_t number = 0;
    if (argument->size > 0 && argument->size <= sizeof number) {
        /* The host's byte order is the device's. */
        if (argument->size == 8)
            memcpy(&number, argument->bytes, 8);
        for (size_t i = 0; argument->size < 8 && i < argument->size; i++)
            number |= (uint64_t)argument->bytes[i] << 8 * i;
        values_add(&seen->value, number);
    }
    int is_same_size = seen->size.count == 1 && seen->size.min == argument->size;
    if (is_same_size)
        blobs_add(&seen->blobs, argument->bytes, argument->size);
    else
        seen->blobs.is_many = 1;
}

static void add_argument(struct argument_seen *seen, const struct argument *argument)
{
    seen->kinds |= 1 << argument->kind;
    values_add(&seen->size, argument->size);
    if (argument->kind == ARGUMENT_MEMORY)
        add_memory(seen, argument);
    if (argument->kind == ARGUMENT_VALUE)
        add_value(seen, argument);
}

static int is_overlap(const struct argument *a, const struct argument *b)
{
    if (a->kind == ARGUMENT_SVM || b->kind == ARGUMENT_SVM)
        return (a->kind == ARGUMENT_SVM || a->kind == ARGUMENT_MEMORY) &&
               (b->kind == ARGUMENT_SVM || b->kind == ARGUMENT_MEMORY);
    if (a->kind != ARGUMENT_MEMORY || b->kind != ARGUMENT_MEMORY || !a->memory || !b->memory)
        return 0;
    if (a->memory == b->memory)
        return 1;
    const struct live *first = memory_find(a->memory);
    const struct live *second = memory_find(b->memory);
    if (!first || !second)
        return 0;
    if (first->root == second->root)
        return first->begin < second->begin + second->size &&
               second->begin < first->begin + first->size;
    return first->host && second->host && first->host < second->host + second->size &&
           second->host < first->host + first->size;
}

/* ---- launches --------------------------------------------------------------------------------- */

static struct launch *make_launch(const struct kernel *kernel)
{
    struct launch *launch = calloc(1, sizeof *launch);
    cl_uint count = kernel->count;
    if (!launch)
        return NULL;
    launch->program = kernel->program;
    launch->kernel = strdup(kernel->name);
    launch->argument_count = count;
    launch->types = calloc(count + 1, sizeof *launch->types);
    launch->arguments = calloc(count + 1, sizeof *launch->arguments);
    launch->overlapping = calloc((size_t)count * count + 1, 1);
    if (!launch->kernel || !launch->types || !launch->arguments || !launch->overlapping)
        return NULL;
    for (cl_uint i = 0; i < count; i++)
        launch->types[i] = strdup(kernel->types[i]);
    return launch;
}

/* The launches that count as one: of a kernel, from a place, with a local size. */
static struct launch *find_launch(const struct kernel *kernel, const struct launch *key)
{
    struct launch **link = &all_launches;
    for (; *link; link = &(*link)->next) {
        struct launch *launch = *link;
        if (launch->program == kernel->program && launch->work_dim == key->work_dim &&
            launch->has_local == key->has_local && launch->is_task == key->is_task &&
            launch->out_of_order == key->out_of_order &&
            memcmp(launch->local, key->local, sizeof key->local) == 0 &&
            site_equal(&launch->site, &key->site) && strcmp(launch->kernel, kernel->name) == 0 &&
            launch->argument_count == kernel->count)
            return launch;
    }
    struct launch *made = make_launch(kernel);
    if (made) {
        made->site = key->site;
        made->work_dim = key->work_dim;
        made->is_task = key->is_task;
        made->has_local = key->has_local;
        made->out_of_order = key->out_of_order;
        memcpy(made->local, key->local, sizeof key->local);
        *link = made;
    }
    return made;
}

static void add_arguments(struct launch *launch, const struct kernel *kernel)
{
    for (cl_uint i = 0; i < kernel->count; i++) {
        add_argument(&launch->arguments[i], &kernel->arguments[i]);
        for (cl_uint j = 0; j < i; j++)
            if (is_overlap(&kernel->arguments[j], &kernel->arguments[i]))
                launch->overlapping[j * kernel->count + i] = 1;
    }
}

struct launch *launches_add(cl_command_queue queue, cl_kernel handle, cl_uint work_dim,
                            int is_task, const size_t *offset, const size_t *global,
                            const size_t *local, const struct site *site)
{
    struct launch key = {0};
    key.site = *site;
    key.work_dim = work_dim;
    key.is_task = is_task;
    key.has_local = local != NULL;
    for (cl_uint d = 0; local && d < work_dim && d < 3; d++)
        key.local[d] = local[d];
    trace_begin();
    key.out_of_order = queues_is_out_of_order(queue);
    const struct kernel *kernel = kernels_find(handle);
    struct launch *launch = kernel ? find_launch(kernel, &key) : NULL;
    int is_new = launch && launch->count == 0;
    if (launch) {
        write_launch_made();
        launch->count++;
        for (cl_uint d = 0; d < work_dim && d < 3; d++) {
            values_add(&launch->offset[d], offset ? offset[d] : 0);
            values_add(&launch->global[d], global[d]);
        }
        add_arguments(launch, kernel);
    }
    trace_end();
    if (launch)
        write_soon(is_new);
    return launch;
}

/* ---- times ------------------------------------------------------------------------------------ */

#define PENDING_MOST 4096

struct pending {
    struct launch *launch;
    cl_event event;
};

static pthread_mutex_t pending_lock = PTHREAD_MUTEX_INITIALIZER;
static struct pending pending[PENDING_MOST];
static size_t pending_count;
static int is_dropped; /* there were too many */

static void take_times(const struct pending *one)
{
    cl_ulong start = 0;
    cl_ulong end = 0;
    cl_int error = next.clGetEventProfilingInfo(one->event, CL_PROFILING_COMMAND_START,
                                                sizeof start, &start, NULL);
    if (error == CL_SUCCESS)
        error = next.clGetEventProfilingInfo(one->event, CL_PROFILING_COMMAND_END, sizeof end, &end,
                                             NULL);
    if (error != CL_SUCCESS || end < start)
        return;
    uint64_t time = end - start;
    struct launch *launch = one->launch;
    trace_begin();
    launch->min_ns = launch->timed == 0 || time < launch->min_ns ? time : launch->min_ns;
    launch->max_ns = time > launch->max_ns ? time : launch->max_ns;
    launch->total_ns += time;
    launch->timed++;
    trace_end();
}

/* 1: it is over, one way or the other. */
static int try_times(const struct pending *one)
{
    cl_int status = CL_QUEUED;
    cl_int error = next.clGetEventInfo(one->event, CL_EVENT_COMMAND_EXECUTION_STATUS,
                                       sizeof status, &status, NULL);
    if (error == CL_SUCCESS && status > CL_COMPLETE)
        return 0;
    if (error == CL_SUCCESS && status == CL_COMPLETE)
        take_times(one);
    next.clReleaseEvent(one->event);
    return 1;
}

void times_add(struct launch *launch, cl_event event)
{
    int is_kept = 0;
    if (pending_count >= PENDING_MOST / 2)
        times_collect();
    pthread_mutex_lock(&pending_lock);
    if (pending_count < PENDING_MOST) {
        pending[pending_count].launch = launch;
        pending[pending_count++].event = event;
        is_kept = 1;
    }
    is_dropped |= !is_kept;
    pthread_mutex_unlock(&pending_lock);
    if (!is_kept)
        next.clReleaseEvent(event);
}

int times_collect(void)
{
    pthread_mutex_lock(&pending_lock);
    size_t kept = 0;
    for (size_t i = 0; i < pending_count; i++) {
        struct pending one = pending[i];
        if (!try_times(&one))
            pending[kept++] = one;
    }
    pending_count = kept;
    int is_over = kept == 0 && !is_dropped;
    pthread_mutex_unlock(&pending_lock);
    return is_over;
}
