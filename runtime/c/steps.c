/* Launches in a row: several that exchange two buffers become one.
 *
 * Such a launch is put off until the next call that could tell. If that is another launch of the kernel, with what
 * the one before it read and wrote exchanged and all else the same, the two are in a row. A row of launches is
 * carried out by as few as possible: an odd number at once, which writes what the last of them would, and the very
 * last by itself, which makes of the other buffer what it would be. A kernel that also reads what it writes leaves
 * both as they would be, and needs no last one. */
#include "runtime.h"

#include <stdatomic.h>
#include <string.h>

/* More memory than kernels take. */
#define MOST_MEMORY 32

/* The launches that are put off. */
static struct {
    cl_command_queue queue;
    struct fpgacc_tracked *kernel;
    const struct fpgacc_version *version;
    struct fpgacc_geometry geometry;
    cl_mem from; /* of the first */
    cl_mem to;
    unsigned long long loop; /* that the last is launched in; 0: none that is announced */
    enum fpgacc_owed owed;   /* how the host waited for some of them */
    cl_mem kept[MOST_MEMORY]; /* all that they take: the host may release it */
    unsigned kept_count;
} row;

/* Locks the kernel of the row, where the caller does not hold its lock. Only who holds the lock of this file holds two
 * kernels'. */
static void lock_kernel(const struct fpgacc_tracked *held)
{
    if (row.kernel != held)
        pthread_mutex_lock(&row.kernel->lock);
}

static void unlock_kernel(const struct fpgacc_tracked *held)
{
    if (row.kernel != held)
        pthread_mutex_unlock(&row.kernel->lock);
}

/* How many there are. */
static atomic_uint waiting;

/* Taken before a kernel's lock. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

void fpgacc_steps_lock(void)
{
    pthread_mutex_lock(&lock);
}

void fpgacc_steps_unlock(void)
{
    pthread_mutex_unlock(&lock);
}

int fpgacc_has_steps(const struct fpgacc_kernel *info)
{
    int found = info->steps.most > 1;
    for (uint32_t i = 0; i < info->other_count; i++)
        found = found || info->others[i].steps.most > 1;
    return found;
}

/* How many of the launches that wait are carried out at once. */
static unsigned at_once(void)
{
    unsigned most = row.version->info->steps.most;
    unsigned merged = row.version->info->steps.writes_both ? waiting : waiting - 1;
    unsigned count = merged < most ? merged : most;
    return count == 0 ? 1 : count - (count + 1) % 2;
}

static cl_int set_buffers(cl_mem from, cl_mem to)
{
    const struct fpgacc_kernel *info = row.version->info;
    cl_int error =
        __real_clSetKernelArg(row.version->handle, info->steps.from, sizeof from, &from);
    return error == CL_SUCCESS
               ? __real_clSetKernelArg(row.version->handle, info->steps.to, sizeof to, &to)
               : error;
}

/* Carries out so many of the launches that wait. */
static cl_int carry_out(unsigned count)
{
    static const size_t one = 1;
    cl_int error = set_buffers(row.from, row.to);
    if (error == CL_SUCCESS)
        error = fpgacc_set_hidden(row.version, &row.geometry, count, NULL);
    if (error == CL_SUCCESS)
        error = __real_clEnqueueNDRangeKernel(row.queue, row.version->handle, 1, NULL, &one, &one,
                                              0, NULL, NULL);
    if (count > 1)
        fpgacc_trace("kernel `%s`: %u launches in a row as one", row.kernel->info->name, count);
    if (error != CL_SUCCESS)
        fpgacc_report(FPGACC_ERROR, NULL, "kernel `%s`: a launch that was put off fails: %s",
                      row.kernel->info->name, fpgacc_error_name(error));
    cl_mem read = row.from;
    row.from = row.to;
    row.to = read;
    waiting -= count;
    return error;
}

/* Keeps the memory of a launch alive until it is carried out. 0: there is too much of it. */
static int keep_memory(const struct fpgacc_tracked *kernel)
{
    row.kept_count = 0;
    for (uint32_t i = 0; i < kernel->info->param_count; i++) {
        cl_mem memory = kernel->arguments[i].memory;
        if (!memory)
            continue;
        if (row.kept_count == MOST_MEMORY || clRetainMemObject(memory) != CL_SUCCESS)
            return 0;
        row.kept[row.kept_count++] = memory;
    }
    return 1;
}

static void release_memory(void)
{
    while (row.kept_count > 0)
        clReleaseMemObject(row.kept[--row.kept_count]);
}

/* Gives the kernel the arguments again that the host set. */
static void set_again(void)
{
    const struct fpgacc_kernel *info = row.version->info;
    const uint32_t both[2] = {info->steps.from, info->steps.to};
    for (int i = 0; i < 2; i++) {
        const struct fpgacc_argument *argument = &row.kernel->arguments[both[i]];
        if (argument->kind == FPGACC_MEMORY)
            __real_clSetKernelArg(row.version->handle, both[i], sizeof argument->memory,
                                  &argument->memory);
    }
}

/* Waits for the launches for which the host has waited already: other queues and threads rely on that. The queue is
 * alive: launches that are put off are carried out before it is released. */
static void wait_as_owed(void)
{
    if (row.owed == FPGACC_FINISH)
        __real_clFinish(row.queue);
    else if (row.owed == FPGACC_FLUSH)
        __real_clFlush(row.queue);
    row.owed = FPGACC_NOTHING;
}

cl_int fpgacc_settle_locked(const struct fpgacc_tracked *held)
{
    cl_int error = CL_SUCCESS;
    if (waiting == 0)
        return error;
    lock_kernel(held);
    while (waiting > 0) {
        cl_int own = carry_out(at_once());
        error = error == CL_SUCCESS ? own : error;
    }
    set_again();
    release_memory();
    unlock_kernel(held);
    wait_as_owed();
    return error;
}

cl_int fpgacc_settle(void)
{
    if (atomic_load(&waiting) == 0)
        return CL_SUCCESS;
    cl_int error = CL_SUCCESS;
    pthread_mutex_lock(&lock);
    error = fpgacc_settle_locked(NULL);
    pthread_mutex_unlock(&lock);
    return error;
}

cl_int fpgacc_settle_queue(cl_command_queue queue, enum fpgacc_owed owed)
{
    if (atomic_load(&waiting) == 0)
        return CL_SUCCESS;
    cl_int error = CL_SUCCESS;
    pthread_mutex_lock(&lock);
    int is_own = queue == row.queue && row.loop != 0 && row.loop == fpgacc_loop_number();
    if (!is_own || !fpgacc_goes_on())
        error = fpgacc_settle_locked(NULL);
    else if (owed > row.owed)
        row.owed = owed;
    pthread_mutex_unlock(&lock);
    return error;
}

void fpgacc_settle_loop(unsigned long long number)
{
    pthread_mutex_lock(&lock);
    if (waiting > 0 && row.loop == number && row.owed != FPGACC_NOTHING)
        fpgacc_settle_locked(NULL);
    pthread_mutex_unlock(&lock);
}

/* Whether two arguments are one. Of values only those are known that fit into a number. */
static int are_same(const struct fpgacc_param *param, const struct fpgacc_argument *one,
                    const struct fpgacc_argument *other)
{
    size_t size = one->size;
    int is_known = param->kind == FPGACC_PARAM_LOCAL || size == 1 || size == 2 || size == 4 ||
                   size == 8;
    return is_known && size == other->size && one->kind == other->kind &&
           one->memory == other->memory && one->bits == other->bits;
}

/* Whether an argument becomes what it is. */
static int is_the_same(const struct fpgacc_tracked *kernel, cl_uint index, size_t size,
                       const void *value)
{
    const struct fpgacc_param *param = &kernel->info->params[index];
    if (!value)
        return 0;
    struct fpgacc_argument next = fpgacc_argument_of(param, size, value);
    return are_same(param, &kernel->arguments[index], &next);
}

/* Whether a kernel object is that of the row, or has the same arguments beside the two that are exchanged. */
static int is_like_kernel(const struct fpgacc_tracked *kernel, const struct fpgacc_version *version)
{
    const struct fpgacc_kernel *info = row.version->info;
    if (kernel == row.kernel)
        return version == row.version;
    if (version->info != info || kernel->info != row.kernel->info)
        return 0;
    for (uint32_t i = 0; i < kernel->info->param_count; i++) {
        int is_exchanged = i == info->steps.from || i == info->steps.to;
        if (!is_exchanged && !are_same(&kernel->info->params[i], &kernel->arguments[i],
                                       &row.kernel->arguments[i]))
            return 0;
    }
    return 1;
}

cl_int fpgacc_settle_argument(struct fpgacc_tracked *kernel, cl_uint index, size_t size,
                              const void *value)
{
    if (atomic_load(&waiting) == 0)
        return CL_SUCCESS;
    cl_int error = CL_SUCCESS;
    pthread_mutex_lock(&lock);
    if (waiting > 0 && row.kernel == kernel) {
        pthread_mutex_lock(&kernel->lock);
        const struct fpgacc_kernel *info = row.version->info;
        cl_mem next = NULL;
        if (value && size == sizeof next)
            memcpy(&next, value, sizeof next);
        /* Others might be gone when these are set again. */
        int is_exchanged = (index == info->steps.from || index == info->steps.to) &&
                           (next == row.from || next == row.to);
        if (!is_exchanged && !is_the_same(kernel, index, size, value))
            error = fpgacc_settle_locked(kernel);
        pthread_mutex_unlock(&kernel->lock);
    }
    pthread_mutex_unlock(&lock);
    return error;
}

/* A buffer of its own, which the host sees through calls only. NULL: none such. */
static cl_mem own_buffer(struct fpgacc_argument *argument)
{
    cl_mem_object_type type = 0;
    if (argument->kind != FPGACC_MEMORY || !argument->memory)
        return NULL;
    const struct fpgacc_part *part = fpgacc_part_of(argument);
    if (!part || part->host || part->buffer != argument->memory)
        return NULL;
    cl_int error =
        clGetMemObjectInfo(argument->memory, CL_MEM_TYPE, sizeof type, &type, NULL);
    return error == CL_SUCCESS && type == CL_MEM_OBJECT_BUFFER ? argument->memory : NULL;
}

static int is_in_order(cl_command_queue queue)
{
    cl_command_queue_properties properties = CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE;
    clGetCommandQueueInfo(queue, CL_QUEUE_PROPERTIES, sizeof properties, &properties, NULL);
    return !(properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
}

static int is_like(const struct fpgacc_geometry *one, const struct fpgacc_geometry *other)
{
    /* Not as bytes: there are some between the members. */
    return one->work_dim == other->work_dim &&
           memcmp(one->offset, other->offset, sizeof one->offset) == 0 &&
           memcmp(one->global, other->global, sizeof one->global) == 0 &&
           memcmp(one->local, other->local, sizeof one->local) == 0;
}

/* Whether all arguments are set, or else the launch is an error at once, and none is an object that the host may
 * release before the launch is carried out. */
static int takes_memory_and_values(const struct fpgacc_tracked *kernel)
{
    for (uint32_t i = 0; i < kernel->info->param_count; i++) {
        enum fpgacc_param_kind kind = kernel->info->params[i].kind;
        if (kernel->arguments[i].kind == FPGACC_UNSET || kind == FPGACC_PARAM_IMAGE ||
            kind == FPGACC_PARAM_SAMPLER || kind == FPGACC_PARAM_PIPE)
            return 0;
    }
    return 1;
}

/* Whether a launch does what the next of the row would. */
static int goes_on(cl_command_queue queue, const struct fpgacc_tracked *kernel,
                   const struct fpgacc_version *version, const struct fpgacc_geometry *geometry,
                   cl_mem from, cl_mem to)
{
    int is_odd = waiting % 2;
    return waiting > 0 && queue == row.queue && is_like_kernel(kernel, version) &&
           is_like(geometry, &row.geometry) &&
           from == (is_odd ? row.to : row.from) && to == (is_odd ? row.from : row.to);
}

/* Carries out as many of the launches that wait as must not wait longer. */
static cl_int advance(const struct fpgacc_tracked *held)
{
    unsigned most = row.version->info->steps.most;
    if (fpgacc_is_last_waited_for())
        return fpgacc_settle_locked(held);
    if (waiting <= most)
        return CL_SUCCESS;
    /* The last one waits: it has to be one by itself. */
    lock_kernel(held);
    cl_int error = carry_out(most);
    unlock_kernel(held);
    return error;
}

int fpgacc_put_off(cl_command_queue queue, struct fpgacc_tracked *kernel,
                   const struct fpgacc_version *version, const struct fpgacc_geometry *geometry,
                   cl_int *error)
{
    const struct fpgacc_kernel *info = version->info;
    if (info->steps.most <= 1 || kernel->reaches_more || !fpgacc_sees_all_calls())
        return 0;
    if (!takes_memory_and_values(kernel))
        return 0;
    cl_mem from = own_buffer(&kernel->arguments[info->steps.from]);
    cl_mem to = own_buffer(&kernel->arguments[info->steps.to]);
    if (!from || !to || from == to || !is_in_order(queue))
        return 0;
    if (!goes_on(queue, kernel, version, geometry, from, to)) {
        if (waiting > 0)
            fpgacc_note_other(row.loop);
        *error = fpgacc_settle_locked(kernel);
        if (*error != CL_SUCCESS)
            return 1;
        if (!keep_memory(kernel)) {
            release_memory();
            return 0;
        }
        row.queue = queue;
        row.kernel = kernel;
        row.version = version;
        row.geometry = *geometry;
        row.from = from;
        row.to = to;
    }
    waiting++;
    row.loop = fpgacc_loop_number();
    *error = advance(kernel);
    return 1;
}

cl_int __wrap_clFlush(cl_command_queue queue)
{
    cl_int put_off = fpgacc_settle_queue(queue, FPGACC_FLUSH);
    return put_off == CL_SUCCESS ? __real_clFlush(queue) : put_off;
}

cl_int __wrap_clEnqueueCopyBuffer(cl_command_queue queue, cl_mem from, cl_mem to,
                                  size_t from_offset, size_t to_offset, size_t size,
                                  cl_uint num_events, const cl_event *wait_list, cl_event *event)
{
    cl_int put_off = fpgacc_settle();
    return put_off == CL_SUCCESS ? __real_clEnqueueCopyBuffer(queue, from, to, from_offset,
                                                              to_offset, size, num_events,
                                                              wait_list, event)
                                 : put_off;
}

cl_int __wrap_clEnqueueFillBuffer(cl_command_queue queue, cl_mem buffer, const void *pattern,
                                  size_t pattern_size, size_t offset, size_t size,
                                  cl_uint num_events, const cl_event *wait_list, cl_event *event)
{
    if (!__real_clEnqueueFillBuffer)
        return CL_INVALID_OPERATION;
    cl_int put_off = fpgacc_settle();
    return put_off == CL_SUCCESS ? __real_clEnqueueFillBuffer(queue, buffer, pattern,
                                                              pattern_size, offset, size,
                                                              num_events, wait_list, event)
                                 : put_off;
}
