/* What the program created: programs, kernels, memory, queues. */
#include "trace.h"

#include <stdlib.h>
#include <string.h>

#define ORDINALS_MOST 64

struct program *all_programs;
struct memory *all_memory;

/* ---- handles ---------------------------------------------------------------------------------- */

/* Finds things by OpenCL handle; a handle may be given out again, the newest counts. */
#define BUCKETS 512

struct entry {
    const void *handle;
    void *thing;
    struct entry *next;
};

static struct entry *program_handles[BUCKETS];
static struct entry *kernel_handles[BUCKETS];
static struct entry *memory_handles[BUCKETS];
static struct entry *queue_handles[BUCKETS];

static struct entry **bucket_of(struct entry **table, const void *handle)
{
    uintptr_t value = (uintptr_t)handle;
    return &table[(value >> 4 ^ value >> 13) % BUCKETS];
}

static struct entry *find_entry(struct entry **table, const void *handle)
{
    struct entry *entry = *bucket_of(table, handle);
    while (entry && entry->handle != handle)
        entry = entry->next;
    return entry;
}

static void *find(struct entry **table, const void *handle)
{
    struct entry *entry = find_entry(table, handle);
    return entry ? entry->thing : NULL;
}

/* Gives what stood behind the handle before. */
static void *put(struct entry **table, const void *handle, void *thing)
{
    struct entry *entry = find_entry(table, handle);
    if (!entry && (entry = calloc(1, sizeof *entry))) {
        struct entry **bucket = bucket_of(table, handle);
        entry->handle = handle;
        entry->next = *bucket;
        *bucket = entry;
    }
    void *old = entry ? entry->thing : NULL;
    if (entry)
        entry->thing = thing;
    return old;
}

/* ---- programs --------------------------------------------------------------------------------- */

static char *copy_bytes(const char *data, size_t length)
{
    char *copy = malloc(length + 1);
    if (!copy)
        return NULL;
    memcpy(copy, data, length);
    copy[length] = '\0';
    return copy;
}

static int same_program(const struct program *program, const struct program *other)
{
    if (!site_equal(&program->site, &other->site) ||
        program->string_count != other->string_count)
        return 0;
    for (unsigned i = 0; i < program->string_count; i++)
        if (program->lengths[i] != other->lengths[i] ||
            memcmp(program->strings[i], other->strings[i], program->lengths[i]) != 0)
            return 0;
    return 1;
}

static void free_program(struct program *program)
{
    for (unsigned i = 0; i < program->string_count; i++)
        free(program->strings[i]);
    free(program->strings);
    free(program->lengths);
    free(program);
}

/* NULL if memory is short. */
static struct program *make_program(cl_uint count, const char **strings, const size_t *lengths,
                                    const struct site *site)
{
    struct program *program = calloc(1, sizeof *program);
    if (!program)
        return NULL;
    program->site = *site;
    program->strings = calloc(count + 1, sizeof *program->strings);
    program->lengths = calloc(count + 1, sizeof *program->lengths);
    int is_whole = program->strings && program->lengths;
    for (cl_uint i = 0; i < count && is_whole; i++) {
        size_t most = lengths && lengths[i] ? lengths[i] : SIZE_MAX;
        size_t length = most == SIZE_MAX ? strlen(strings[i]) : strnlen(strings[i], most);
        program->strings[i] = copy_bytes(strings[i], length);
        program->lengths[i] = length;
        is_whole = program->strings[i] != NULL;
        program->string_count += is_whole;
    }
    if (is_whole)
        return program;
    free_program(program);
    return NULL;
}

void programs_add(cl_program handle, cl_uint count, const char **strings, const size_t *lengths,
                  const struct site *site)
{
    struct program *made = make_program(count, strings, lengths, site);
    counts_forget(handle);
    if (!made)
        return;
    trace_begin();
    struct program **link = &all_programs;
    while (*link && !same_program(*link, made))
        link = &(*link)->next;
    if (*link) {
        free_program(made);
    } else {
        for (const struct program *other = all_programs; other; other = other->next)
            made->number++;
        *link = made;
    }
    put(program_handles, handle, *link);
    trace_end();
}

void programs_same(cl_program handle, cl_program as)
{
    counts_forget(handle);
    trace_begin();
    put(program_handles, handle, find(program_handles, as));
    trace_end();
}

struct program *programs_find(cl_program handle)
{
    trace_begin();
    struct program *program = find(program_handles, handle);
    trace_end();
    return program;
}

int programs_is_source(cl_program handle)
{
    trace_begin();
    const struct program *program = find(program_handles, handle);
    int is_source = program && program->string_count > 0;
    trace_end();
    return is_source;
}

/* Adds a string to a list that has each only once. */
static void add_string(char ***list, unsigned *count, const char *text)
{
    for (unsigned i = 0; i < *count; i++)
        if (strcmp((*list)[i], text) == 0)
            return;
    char **grown = realloc(*list, (*count + 1) * sizeof **list);
    if (!grown)
        return;
    *list = grown;
    grown[*count] = strdup(text);
    *count += grown[*count] != NULL;
}

void programs_options(cl_program handle, const char *options)
{
    trace_begin();
    struct program *program = find(program_handles, handle);
    if (program)
        add_string(&program->options, &program->option_count, options ? options : "");
    trace_end();
}

/* ---- kernels ---------------------------------------------------------------------------------- */

char *kernel_name(cl_kernel handle)
{
    size_t size = 0;
    if (next.clGetKernelInfo(handle, CL_KERNEL_FUNCTION_NAME, 0, NULL, &size) != CL_SUCCESS)
        return strdup("");
    char *name = calloc(1, size + 1);
    if (name)
        next.clGetKernelInfo(handle, CL_KERNEL_FUNCTION_NAME, size, name, NULL);
    return name;
}

static char *argument_type(cl_kernel handle, cl_uint index)
{
    char type[128] = "";
    if (!next.clGetKernelArgInfo ||
        next.clGetKernelArgInfo(handle, index, CL_KERNEL_ARG_TYPE_NAME, sizeof type - 1, type,
                                NULL) != CL_SUCCESS)
        type[0] = '\0';
    return strdup(type);
}

static unsigned char argument_space(cl_kernel handle, cl_uint index)
{
    cl_kernel_arg_address_qualifier space = 0;
    if (!next.clGetKernelArgInfo ||
        next.clGetKernelArgInfo(handle, index, CL_KERNEL_ARG_ADDRESS_QUALIFIER, sizeof space,
                                &space, NULL) != CL_SUCCESS)
        return '?';
    switch (space) {
    case CL_KERNEL_ARG_ADDRESS_GLOBAL:
        return 'g';
    case CL_KERNEL_ARG_ADDRESS_CONSTANT:
        return 'c';
    case CL_KERNEL_ARG_ADDRESS_LOCAL:
        return 'l';
    default:
        return 'p';
    }
}

/* NULL if memory is short. */
static struct kernel *make_kernel(cl_kernel handle, struct counted *counted)
{
    struct kernel *kernel = calloc(1, sizeof *kernel);
    cl_uint count = 0;
    if (!kernel)
        return NULL;
    next.clGetKernelInfo(handle, CL_KERNEL_NUM_ARGS, sizeof count, &count, NULL);
    count -= counted ? counts_hidden(counted) : 0;
    kernel->counted = counted;
    kernel->handle = handle;
    kernel->count = count;
    kernel->name = kernel_name(handle);
    kernel->types = calloc(count + 1, sizeof *kernel->types);
    kernel->qualifiers = calloc(count + 1, 1);
    kernel->arguments = calloc(count + 1, sizeof *kernel->arguments);
    if (!kernel->name || !kernel->types || !kernel->qualifiers || !kernel->arguments)
        return NULL;
    for (cl_uint i = 0; i < count; i++) {
        kernel->types[i] = argument_type(handle, i);
        kernel->qualifiers[i] = argument_space(handle, i);
        if (!kernel->types[i])
            return NULL;
    }
    return kernel;
}

static void free_kernel(struct kernel *kernel)
{
    for (cl_uint i = 0; kernel && i < kernel->count; i++) {
        free(kernel->types[i]);
        free(kernel->arguments[i].bytes);
    }
    if (kernel) {
        free(kernel->types);
        free(kernel->qualifiers);
        free(kernel->arguments);
        free(kernel->name);
    }
    free(kernel);
}

void kernels_add(cl_kernel handle, cl_program program, struct counted *counted)
{
    struct kernel *kernel = make_kernel(handle, counted);
    if (!kernel)
        return;
    trace_begin();
    kernel->program = find(program_handles, program);
    if (kernel->program)
        add_string(&kernel->program->kernels, &kernel->program->kernel_count, kernel->name);
    free_kernel(put(kernel_handles, handle, kernel));
    trace_end();
}

static void set_bytes(struct argument *argument, const void *value, size_t size)
{
    if (argument->capacity < size) {
        unsigned char *grown = realloc(argument->bytes, size);
        if (!grown) {
            argument->kind = ARGUMENT_UNSET;
            return;
        }
        argument->bytes = grown;
        argument->capacity = size;
    }
    memcpy(argument->bytes, value, size);
}

void kernels_copy(cl_kernel handle, cl_kernel from)
{
    cl_uint index = 0;
    struct kernel *kernel = make_kernel(handle, kernels_counted(from, &index));
    if (!kernel)
        return;
    trace_begin();
    const struct kernel *original = find(kernel_handles, from);
    for (cl_uint i = 0; original && i < kernel->count && i < original->count; i++) {
        const struct argument *argument = &original->arguments[i];
        kernel->arguments[i].kind = argument->kind;
        kernel->arguments[i].size = argument->size;
        kernel->arguments[i].memory = argument->memory;
        if (argument->kind == ARGUMENT_VALUE)
            set_bytes(&kernel->arguments[i], argument->bytes, argument->size);
    }
    kernel->program = original ? original->program : NULL;
    free_kernel(put(kernel_handles, handle, kernel));
    trace_end();
}

/* What an argument is: OpenCL says, or its value does. */
static enum argument_kind kind_of(const struct kernel *kernel, cl_uint index, size_t size,
                                  const void *value)
{
    cl_mem memory = NULL;
    if (value && size == sizeof memory)
        memcpy(&memory, value, sizeof memory);
    switch (kernel->qualifiers[index]) {
    case 'g':
    case 'c':
        return ARGUMENT_MEMORY;
    case 'l':
        return ARGUMENT_LOCAL;
    case 'p':
        return strcmp(kernel->types[index], "sampler_t") == 0 ? ARGUMENT_SAMPLER : ARGUMENT_VALUE;
    default:
        break;
    }
    if (!value)
        return ARGUMENT_LOCAL;
    return memory && find(memory_handles, memory) ? ARGUMENT_MEMORY : ARGUMENT_VALUE;
}

void kernels_set(cl_kernel handle, cl_uint index, size_t size, const void *value, int is_svm)
{
    trace_begin();
    struct kernel *kernel = find(kernel_handles, handle);
    if (kernel && index < kernel->count) {
        struct argument *argument = &kernel->arguments[index];
        argument->kind = is_svm ? ARGUMENT_SVM : kind_of(kernel, index, size, value);
        argument->size = size;
        argument->memory = NULL;
        if (argument->kind == ARGUMENT_MEMORY && value && size == sizeof argument->memory)
            memcpy(&argument->memory, value, sizeof argument->memory);
        if (argument->kind == ARGUMENT_VALUE && value)
            set_bytes(argument, value, size);
    }
    trace_end();
}

struct kernel *kernels_find(cl_kernel handle)
{
    return find(kernel_handles, handle);
}

struct counted *kernels_counted(cl_kernel handle, cl_uint *index)
{
    trace_begin();
    const struct kernel *kernel = find(kernel_handles, handle);
    struct counted *counted = kernel ? kernel->counted : NULL;
    *index = kernel ? kernel->count : 0;
    trace_end();
    return counted;
}

/* ---- memory ----------------------------------------------------------------------------------- */

/* What a new memory object of a place counts as: one that lives no more, or another one. A place
 * that has very many at a time ends with one entry for the rest. */
static struct memory *memory_at(const struct site *site, const char *call, struct memory *parent)
{
    struct memory **link = &all_memory;
    unsigned number = 0;
    unsigned ordinal = 1;
    for (; *link; link = &(*link)->next) {
        struct memory *memory = *link;
        number++;
        if (!site_equal(&memory->site, site))
            continue;
        if (memory->parent == parent && (!memory->is_alive || ordinal >= ORDINALS_MOST))
            return memory;
        ordinal++;
    }
    struct memory *made = calloc(1, sizeof *made);
    if (!made)
        return NULL;
    made->site = *site;
    made->call = call;
    made->parent = parent;
    made->ordinal = ordinal;
    made->number = number;
    *link = made;
    return made;
}

static void add_live(cl_mem handle, struct memory *memory, const struct live *live)
{
    struct live *copy = malloc(sizeof *copy);
    if (!copy || !memory)
        return;
    *copy = *live;
    copy->memory = memory;
    memory->is_alive = 1;
    struct live *old = put(memory_handles, handle, copy);
    if (old && old->memory != memory)
        old->memory->is_alive = 0;
    free(old);
}

void memory_add(cl_mem handle, const char *call, cl_mem_flags flags, size_t size, const void *host,
                const struct site *site)
{
    struct live live = {0};
    live.handle = handle;
    live.root = handle;
    live.size = size;
    live.host = flags & CL_MEM_USE_HOST_PTR ? (uintptr_t)host : 0;
    trace_begin();
    struct memory *memory = memory_at(site, call, NULL);
    if (memory) {
        memory->flags |= flags;
        values_add(&memory->size, size);
    }
    add_live(handle, memory, &live);
    trace_end();
}

void memory_add_part(cl_mem handle, cl_mem parent, cl_mem_flags flags, size_t origin, size_t size,
                     const struct site *site)
{
    struct live live = {0};
    live.handle = handle;
    live.root = parent;
    live.begin = origin;
    live.size = size;
    trace_begin();
    const struct live *whole = find(memory_handles, parent);
    live.host = whole && whole->host ? whole->host + origin : 0;
    struct memory *memory =
        memory_at(site, "clCreateSubBuffer", whole ? whole->memory : NULL);
    if (memory) {
        memory->flags |= flags;
        values_add(&memory->size, size);
        values_add(&memory->origin, origin);
    }
    add_live(handle, memory, &live);
    trace_end();
}

void memory_forget(cl_mem handle)
{
    trace_begin();
    struct live *live = put(memory_handles, handle, NULL);
    if (live)
        live->memory->is_alive = 0;
    free(live);
    trace_end();
}

struct live *memory_find(cl_mem handle)
{
    return find(memory_handles, handle);
}

/* ---- queues ----------------------------------------------------------------------------------- */

void queues_add(cl_command_queue handle, int out_of_order, int profiling, int profiling_added)
{
    struct queue *queue = calloc(1, sizeof *queue);
    if (!queue)
        return;
    queue->handle = handle;
    queue->out_of_order = out_of_order;
    queue->profiling = profiling;
    queue->profiling_added = profiling_added;
    trace_begin();
    free(put(queue_handles, handle, queue));
    trace_end();
}

int queues_hides_profiling(cl_command_queue handle)
{
    trace_begin();
    const struct queue *queue = find(queue_handles, handle);
    int hides = queue && queue->profiling_added;
    trace_end();
    return hides;
}

int queues_is_out_of_order(cl_command_queue handle)
{
    const struct queue *queue = find(queue_handles, handle);
    return queue && queue->out_of_order;
}
