/* Kernels that count (fpgacc trace --trip-counts) and keep a log (--accesses). fpgacc writes a
 * program's text again, so that its loops and branches count into a buffer, and some work-items write
 * what they access into another one: last arguments of each kernel that the program does not see.
 * Kernels are made from that text where it can be had, else from the program's own. */
#include "trace.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

/* Guards what is below. Programs and buffers are created with it held, so that each is made once, but
 * nothing is waited for: a callback of an event may launch kernels. */
static pthread_mutex_t counts_lock = PTHREAD_MUTEX_INITIALIZER;
/* Held by the thread that reads counters. */
static pthread_mutex_t read_lock = PTHREAD_MUTEX_INITIALIZER;

/* A program object whose kernels may count. They live on: kernels name them. */
struct counted {
    struct counted *next;
    cl_program handle; /* the program's own; NULL when it was built or created anew */
    cl_program own;    /* the one that counts; NULL: it cannot */
    cl_program user;   /* as `handle`, for good */
    char *options;
    struct count_text *text;
};

/* Counters of kernels on a device. */
struct count_buffer {
    struct count_buffer *next;
    struct counted *counted;
    cl_device_id device;
    cl_command_queue queue;
    cl_mem memory;
    cl_mem log; /* NULL: none is kept */
    uint32_t room;
    uint32_t *scratch;
    uint64_t *totals; /* when it was last read */
    int is_used; /* there may be counts that were not read */
};

static struct counted *all_counted;
static struct count_buffer *all_buffers;

/* ---- fpgacc ----------------------------------------------------------------------------------- */

static const char *compiler(void)
{
    const char *path = getenv("FPGACC_TRACE_COUNTS");
    return path && *path ? path : NULL;
}

__attribute__((format(printf, 1, 2))) static char *text_of(const char *format, ...)
{
    char *text = NULL;
    va_list arguments;
    va_start(arguments, format);
    int length = vasprintf(&text, format, arguments);
    va_end(arguments);
    return length < 0 ? NULL : text;
}

/* Says it once: programs may create very many kernels. */
static void note(const char *what)
{
    static const char *last;
    if (last == what)
        return;
    last = what;
    fprintf(stderr, "fpgacc: note: %s: its kernels run as they are, and count nothing\n", what);
}

static int write_file(const char *base, const char *suffix, const char *text)
{
    char *path = text_of("%s.%s", base, suffix);
    FILE *out = path ? fopen(path, "we") : NULL;
    free(path);
    if (!out)
        return 0;
    fputs(text, out);
    return fclose(out) == 0;
}

/* To free; NULL: there is none. */
static char *read_file(const char *base, const char *suffix)
{
    char *path = text_of("%s.%s", base, suffix);
    FILE *in = path ? fopen(path, "re") : NULL;
    free(path);
    if (!in)
        return NULL;
    char *text = NULL;
    size_t size = 0;
    ssize_t length = getdelim(&text, &size, '\0', in);
    fclose(in);
    if (length >= 0)
        return text;
    free(text);
    return NULL;
}

/* Runs fpgacc on BASE.cl; what it makes lies beside it. */
static void run_compiler(const char *base, const char *options)
{
    const char *asked = getenv("FPGACC_TRACE_ASKED");
    char *const words[] = {(char *)compiler(), "trace", "--instrument", (char *)base,
                           (char *)asked,      "--",    (char *)options, NULL};
    posix_spawn_file_actions_t files;
    pid_t child = 0;
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    int error = posix_spawn(&child, words[0], &files, NULL, words, environ);
    posix_spawn_file_actions_destroy(&files);
    /* The program may reap all children, or ignore them: then this ends with ECHILD. */
    while (error == 0 && waitpid(child, NULL, 0) < 0 && errno == EINTR)
        continue;
}

/* ---- what the device's own compiler defines ----------------------------------------------------- */

#define NAMES_MOST 256

struct names {
    char *names[NAMES_MOST];
    int is_defined[NAMES_MOST];
    unsigned count;
};

static void add_name(struct names *names, const char *start, size_t length)
{
    if (names->count == NAMES_MOST || (length == 7 && strncmp(start, "defined", 7) == 0))
        return;
    for (unsigned i = 0; i < names->count; i++)
        if (strlen(names->names[i]) == length && strncmp(names->names[i], start, length) == 0)
            return;
    char *name = strndup(start, length);
    if (name)
        names->names[names->count++] = name;
}

/* The names in a line after #if, #ifdef, #ifndef and #elif. */
static void add_names(struct names *names, const char *line)
{
    line += strspn(line, " \t");
    if (*line++ != '#')
        return;
    line += strspn(line, " \t");
    if (strncmp(line, "if", 2) != 0 && strncmp(line, "elif", 4) != 0)
        return;
    while (isalpha((unsigned char)*line))
        line++;
    while (*line && (*line != '\n' || line[-1] == '\\')) {
        size_t length = 0;
        while (isalnum((unsigned char)line[length]) || line[length] == '_')
            length++;
        if (length > 0 && !isdigit((unsigned char)*line))
            add_name(names, line, length);
        line += length > 0 ? length : 1;
    }
}

static int has_kernel(cl_program program, const char *name)
{
    cl_int error = CL_SUCCESS;
    cl_kernel kernel = next.clCreateKernel(program, name, &error);
    if (kernel)
        next.clReleaseKernel(kernel);
    return kernel != NULL;
}

/* Asks the device's compiler which of the names are macros. 0: it did not answer. */
static int ask(struct names *names, cl_context context, cl_uint count, const cl_device_id *devices,
               const char *options)
{
    char *text = strdup("__kernel void fpgacc_probe(void) {}\n");
    for (unsigned i = 0; text && i < names->count; i++) {
        char *more = text_of("%s#ifdef %s\n__kernel void fpgacc_probe_%u(void) {}\n#endif\n", text,
                             names->names[i], i);
        free(text);
        text = more;
    }
    if (!text)
        return 0;
    const char *strings[] = {text};
    cl_program probe = next.clCreateProgramWithSource(context, 1, strings, NULL, NULL);
    free(text);
    int is_built =
        probe && next.clBuildProgram(probe, count, devices, options, NULL, NULL) == CL_SUCCESS;
    for (unsigned i = 0; is_built && i < names->count; i++) {
        char name[32];
        snprintf(name, sizeof name, "fpgacc_probe_%u", i);
        names->is_defined[i] = has_kernel(probe, name);
    }
    if (probe)
        next.clReleaseProgram(probe);
    return is_built;
}

/* `OpenCL 1.2 ..` as 120. */
static int version_of(cl_device_id device)
{
    char text[128] = "";
    int major = 1;
    int minor = 2;
    next.clGetDeviceInfo(device, CL_DEVICE_VERSION, sizeof text - 1, text, NULL);
    sscanf(text, "OpenCL %d.%d", &major, &minor);
    return 100 * major + 10 * minor;
}

/* Names that fpgacc defines, but not every device: for headers, which are not looked into. */
static void add_usual_names(struct names *names)
{
    static const char *const usual[] = {"ALTERA_CL", "INTELFPGA_CL", "__IMAGE_SUPPORT__",
                                        "cl_intel_channels", "cl_khr_fp64", "cles_khr_int64",
                                        "cl_khr_3d_image_writes", "cl_khr_depth_images"};
    for (size_t i = 0; i < sizeof usual / sizeof *usual; i++)
        add_name(names, usual[i], strlen(usual[i]));
}

/* Lines to stand before a text, so that fpgacc takes the same parts of it as the device's own
 * compiler. To free; NULL: it is not known. */
static char *front_of(const char *text, cl_context context, cl_uint count,
                      const cl_device_id *devices, const char *options)
{
    static struct names names;
    names.count = 0;
    for (const char *line = text; line; line = strchr(line, '\n'), line = line ? line + 1 : NULL)
        add_names(&names, line);
    if (strstr(text, "include"))
        add_usual_names(&names);
    int version = version_of(devices[0]);
    char *front = text_of("#undef __OPENCL_VERSION__\n#define __OPENCL_VERSION__ %d\n", version);
    if (names.count > 0 && !ask(&names, context, count, devices, options)) {
        free(front);
        front = NULL;
    }
    for (unsigned i = 0; i < names.count; i++) {
        const char *name = names.names[i];
        char *more = NULL;
        if (front && names.is_defined[i])
            more = text_of("%s#ifndef %s\n#define %s 1\n#endif\n", front, name, name);
        else if (front)
            more = text_of("%s#undef %s\n", front, name);
        free(front);
        front = more;
        free(names.names[i]);
    }
    return front;
}

/* ---- texts ------------------------------------------------------------------------------------ */

static char *joined(const struct program *program)
{
    size_t length = 0;
    for (unsigned i = 0; i < program->string_count; i++)
        length += program->lengths[i];
    char *text = calloc(1, length + 1);
    for (unsigned i = 0; text && i < program->string_count; i++)
        strncat(text, program->strings[i], program->lengths[i]);
    return text;
}

/* Has fpgacc make the text that counts. */
static void make_text(struct count_text *text, cl_context context, cl_uint count,
                      const cl_device_id *devices)
{
    const char *folder = getenv("FPGACC_TRACE_FOLDER");
    static unsigned number;
    char *source = joined(text->program);
    text->base = text_of("%s/%ld-%u", folder ? folder : ".", (long)getpid(), number++);
    char *front = source ? front_of(source, context, count, devices, text->options) : NULL;
    if (!text->base || !front || !write_file(text->base, "cl", source) ||
        !write_file(text->base, "front", front)) {
        note("a program could not be written again");
    } else {
        run_compiler(text->base, text->options);
        text->build_options = read_file(text->base, "options");
        char *counters = read_file(text->base, "counters");
        if (counters && sscanf(counters, "%u %d %d", &text->counters, &text->is_counting,
                               &text->is_logging) == 3)
            text->text = read_file(text->base, "counted.cl");
        text->totals = calloc(text->counters + 1, sizeof *text->totals);
        free(counters);
    }
    free(front);
    free(source);
}

static struct count_text *text_for(struct program *program, const char *options,
                                   cl_context context, cl_uint count, const cl_device_id *devices)
{
    struct count_text *text = program->counts;
    while (text && strcmp(text->options, options) != 0)
        text = text->next;
    if (text)
        return text;
    text = calloc(1, sizeof *text);
    if (!text || !(text->options = strdup(options)))
        return NULL;
    text->program = program;
    make_text(text, context, count, devices);
    trace_begin();
    text->next = program->counts;
    program->counts = text;
    trace_end();
    return text;
}

/* ---- programs --------------------------------------------------------------------------------- */

static struct counted *find_counted(cl_program handle)
{
    struct counted *counted = all_counted;
    while (counted && counted->handle != handle)
        counted = counted->next;
    return counted;
}

void counts_forget(cl_program handle)
{
    pthread_mutex_lock(&counts_lock);
    struct counted *counted = find_counted(handle);
    if (counted)
        counted->handle = NULL;
    pthread_mutex_unlock(&counts_lock);
}

void counts_built(cl_program handle, const char *options)
{
    if (!compiler())
        return;
    counts_forget(handle);
    struct counted *counted = calloc(1, sizeof *counted);
    if (!counted || !(counted->options = strdup(options ? options : "")))
        return;
    counted->handle = handle;
    counted->user = handle;
    pthread_mutex_lock(&counts_lock);
    counted->next = all_counted;
    all_counted = counted;
    pthread_mutex_unlock(&counts_lock);
}

/* The devices that a program is built for, to free. */
static cl_device_id *devices_of(cl_program program, cl_uint *count)
{
    size_t size = 0;
    *count = 0;
    next.clGetProgramInfo(program, CL_PROGRAM_DEVICES, 0, NULL, &size);
    cl_device_id *devices = calloc(1, size + 1);
    if (!devices ||
        next.clGetProgramInfo(program, CL_PROGRAM_DEVICES, size, devices, NULL) != CL_SUCCESS)
        return devices;
    for (size_t i = 0; i < size / sizeof *devices; i++) {
        cl_build_status status = CL_BUILD_NONE;
        next.clGetProgramBuildInfo(program, devices[i], CL_PROGRAM_BUILD_STATUS, sizeof status,
                                   &status, NULL);
        if (status == CL_BUILD_SUCCESS)
            devices[(*count)++] = devices[i];
    }
    return devices;
}

/* NULL: it is not OpenCL C there. */
static cl_program build(const struct count_text *text, cl_context context, cl_uint count,
                        const cl_device_id *devices)
{
    const char *strings[] = {text->text};
    cl_program own = next.clCreateProgramWithSource(context, 1, strings, NULL, NULL);
    char *options = with_argument_info(text->build_options);
    cl_int error = CL_INVALID_BUILD_OPTIONS;
    if (own && options)
        error = next.clBuildProgram(own, count, devices, options, NULL, NULL);
    if (own && error == CL_INVALID_BUILD_OPTIONS)
        error = next.clBuildProgram(own, count, devices, text->build_options, NULL, NULL);
    free(options);
    if (own && error == CL_SUCCESS)
        return own;
    if (own)
        next.clReleaseProgram(own);
    note("the program that counts could not be built");
    return NULL;
}

/* The first kernel of the program is created: now it is known that it is built, and how. */
static void make_counted(struct counted *counted)
{
    struct program *program = programs_find(counted->handle);
    cl_context context = NULL;
    cl_uint count = 0;
    cl_device_id *devices = devices_of(counted->handle, &count);
    next.clGetProgramInfo(counted->handle, CL_PROGRAM_CONTEXT, sizeof context, &context, NULL);
    if (program && program->string_count > 0 && count > 0)
        counted->text = text_for(program, counted->options, context, count, devices);
    if (counted->text && counted->text->text && counted->text->totals)
        counted->own = build(counted->text, context, count, devices);
    free(devices);
}

/* ---- buffers ---------------------------------------------------------------------------------- */

/* A record of the log is seven words. Before them there is one, how many there are, and room for one
 * that is not kept. */
#define RECORD (7 * sizeof(uint32_t))
#define FRONT (sizeof(uint32_t) + RECORD)
#define LOG_MOST ((size_t)128 << 20)

static cl_mem make_log(cl_context context, cl_device_id device, uint32_t *room)
{
    cl_ulong most = 0;
    next.clGetDeviceInfo(device, CL_DEVICE_MAX_MEM_ALLOC_SIZE, sizeof most, &most, NULL);
    size_t size = most / 2 < LOG_MOST ? (size_t)(most / 2) : LOG_MOST;
    *room = (uint32_t)((size - FRONT) / RECORD);
    return next.clCreateBuffer(context, CL_MEM_READ_WRITE, size, NULL, NULL);
}

/* What was written to the log counts as never written. Intel's emulator returns from a blocking write before
 * memory has what was written: launches in other queues do not wait for it. */
static int clear_log(const struct count_buffer *buffer)
{
    static const uint32_t none = 0;
    return next.clEnqueueWriteBuffer(buffer->queue, buffer->log, CL_TRUE, 0, sizeof none, &none, 0,
                                     NULL, NULL) == CL_SUCCESS &&
           next.clFinish(buffer->queue) == CL_SUCCESS;
}

/* NULL: there is no memory. */
static struct count_buffer *make_buffer(struct counted *counted, cl_device_id device)
{
    size_t size = (counted->text->counters + 1) * 2 * sizeof(uint32_t);
    cl_context context = NULL;
    struct count_buffer *buffer = calloc(1, sizeof *buffer);
    uint32_t *zeroes = calloc(1, size);
    if (!buffer || !zeroes)
        return NULL;
    next.clGetProgramInfo(counted->own, CL_PROGRAM_CONTEXT, sizeof context, &context, NULL);
    buffer->counted = counted;
    buffer->device = device;
    buffer->scratch = zeroes;
    buffer->totals = calloc(counted->text->counters + 1, sizeof *buffer->totals);
    buffer->queue = next.clCreateCommandQueue(context, device, 0, NULL);
    buffer->memory = next.clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, size,
                                         zeroes, NULL);
    if (!buffer->queue || !buffer->memory || !buffer->totals)
        return NULL;
    if (counted->text->is_logging)
        buffer->log = make_log(context, device, &buffer->room);
    if (counted->text->is_logging && (!buffer->log || !clear_log(buffer)))
        return NULL;
    buffer->next = all_buffers;
    all_buffers = buffer;
    return buffer;
}

static struct count_buffer *buffer_for(struct counted *counted, cl_device_id device)
{
    struct count_buffer *buffer = all_buffers;
    while (buffer && (buffer->counted != counted || buffer->device != device))
        buffer = buffer->next;
    return buffer ? buffer : make_buffer(counted, device);
}

cl_uint counts_hidden(const struct counted *counted)
{
    return (counted->text->is_counting ? 1 : 0) + (counted->text->is_logging ? 2 : 0);
}

/* Sets the arguments that the program does not see, from `index` on. `launch`: see log.cl. */
static int set_hidden(cl_kernel kernel, cl_uint index, const struct count_buffer *buffer,
                      const cl_uint launch[4])
{
    const struct count_text *text = buffer->counted->text;
    cl_int error = CL_SUCCESS;
    if (text->is_counting)
        error = next.clSetKernelArg(kernel, index++, sizeof buffer->memory, &buffer->memory);
    if (error == CL_SUCCESS && text->is_logging)
        error = next.clSetKernelArg(kernel, index++, sizeof buffer->log, &buffer->log);
    if (error == CL_SUCCESS && text->is_logging)
        error = next.clSetKernelArg(kernel, index, 4 * sizeof *launch, launch);
    return error == CL_SUCCESS;
}

/* Blocks of 64 work-items of a launch that are looked at, and of a group. */
#define BLOCKS 32
#define GROUP_BLOCKS 4

/* How often the kernels of a text were launched. */
struct launches_of {
    struct launches_of *next;
    char *kernel;
    uint64_t count;
};

/* Whether a kernel's next launch is looked at: the first four are, and ever fewer of the others. */
static int is_looked_at(struct count_text *text, const char *kernel)
{
    struct launches_of *known = text->launches;
    while (known && strcmp(known->kernel, kernel) != 0)
        known = known->next;
    if (!known) {
        known = calloc(1, sizeof *known);
        if (!known || !(known->kernel = strdup(kernel)))
            return 0;
        known->next = text->launches;
        text->launches = known;
    }
    uint64_t before = known->count++;
    return before < 4 || (before & (before - 1)) == 0;
}

/* What a kernel's next launch is given of the log. */
static void next_launch(struct count_text *text, cl_kernel kernel, uint32_t room,
                        cl_uint launch[4])
{
    launch[0] = 0;
    launch[1] = BLOCKS;
    launch[2] = GROUP_BLOCKS;
    launch[3] = 0;
    char *name = text->is_logging ? kernel_name(kernel) : NULL;
    if (!name)
        return;
    char **grown = NULL;
    trace_begin();
    if (is_looked_at(text, name))
        grown = realloc(text->logged, (text->logged_count + 1) * sizeof *grown);
    if (grown) {
        text->logged = grown;
        launch[0] = text->logged_count;
        launch[3] = room;
        grown[text->logged_count++] = name;
    }
    trace_end();
    if (!grown)
        free(name);
}

struct counted *counts_kernel(cl_program handle, cl_kernel *kernel)
{
    char *name = compiler() ? kernel_name(*kernel) : NULL;
    if (!name)
        return NULL;
    pthread_mutex_lock(&counts_lock);
    struct counted *counted = find_counted(handle);
    if (counted && !counted->text)
        make_counted(counted);
    if (!counted)
        note("a program was not built from source in one step");
    cl_kernel own =
        counted && counted->own ? next.clCreateKernel(counted->own, name, NULL) : NULL;
    cl_device_id device = NULL;
    cl_uint count = 0;
    if (own) {
        cl_device_id *devices = devices_of(counted->own, &count);
        device = count > 0 ? devices[0] : NULL;
        free(devices);
    }
    const struct count_buffer *buffer = device ? buffer_for(counted, device) : NULL;
    cl_uint arguments = 0;
    if (own)
        next.clGetKernelInfo(own, CL_KERNEL_NUM_ARGS, sizeof arguments, &arguments, NULL);
    static const cl_uint nowhere[4] = {0, 1, 1, 0};
    cl_uint hidden = buffer ? counts_hidden(counted) : 0;
    int is_ready = buffer && arguments >= hidden &&
                   set_hidden(own, arguments - hidden, buffer, nowhere);
    pthread_mutex_unlock(&counts_lock);
    free(name);
    if (is_ready) {
        /* A kernel keeps its program, which may be asked for. */
        next.clRetainProgram(handle);
        next.clReleaseKernel(*kernel);
        *kernel = own;
        return counted;
    }
    if (own)
        next.clReleaseKernel(own);
    return NULL;
}

cl_program counts_user(const struct counted *counted)
{
    return counted->user;
}

void counts_launch(cl_command_queue queue, cl_kernel kernel)
{
    cl_device_id device = NULL;
    cl_uint index = 0;
    struct counted *counted = kernels_counted(kernel, &index);
    if (!counted || next.clGetCommandQueueInfo(queue, CL_QUEUE_DEVICE, sizeof device, &device,
                                               NULL) != CL_SUCCESS)
        return;
    pthread_mutex_lock(&counts_lock);
    struct count_buffer *buffer = buffer_for(counted, device);
    if (buffer) {
        cl_uint launch[4];
        next_launch(counted->text, kernel, buffer->room, launch);
        set_hidden(kernel, index, buffer, launch);
        buffer->is_used = 1;
    }
    pthread_mutex_unlock(&counts_lock);
}

/* Adds what was counted since the last time. */
static void add_counts(struct count_buffer *buffer)
{
    struct count_text *text = buffer->counted->text;
    trace_begin();
    for (unsigned i = 0; i < text->counters; i++) {
        uint64_t now = (uint64_t)buffer->scratch[2 * i + 1] << 32 | buffer->scratch[2 * i];
        text->totals[i] += now - buffer->totals[i];
        buffer->totals[i] = now;
    }
    trace_end();
}

/* Whether a buffer may hold counts that were not read. */
static int take_used(struct count_buffer *buffer, int is_over)
{
    pthread_mutex_lock(&counts_lock);
    int is_used = buffer->is_used;
    buffer->is_used = is_used && !is_over;
    pthread_mutex_unlock(&counts_lock);
    return is_used;
}

static void collect_counters(struct count_buffer *buffer)
{
    size_t size = buffer->counted->text->counters * 2 * sizeof(uint32_t);
    if (size > 0 && next.clEnqueueReadBuffer(buffer->queue, buffer->memory, CL_TRUE, 0, size,
                                             buffer->scratch, 0, NULL, NULL) == CL_SUCCESS)
        add_counts(buffer);
}

/* Adds the log to its file. */
static void collect_log(const struct count_buffer *buffer)
{
    uint32_t count = 0;
    if (!buffer->log || next.clEnqueueReadBuffer(buffer->queue, buffer->log, CL_TRUE, 0,
                                                 sizeof count, &count, 0, NULL,
                                                 NULL) != CL_SUCCESS)
        return;
    size_t size = (count < buffer->room ? count : buffer->room) * RECORD;
    char *records = size > 0 ? malloc(size) : NULL;
    char *path = text_of("%s.log", buffer->counted->text->base);
    FILE *out = records && path ? fopen(path, "ae") : NULL;
    if (out && next.clEnqueueReadBuffer(buffer->queue, buffer->log, CL_TRUE, FRONT, size,
                                        records, 0, NULL, NULL) == CL_SUCCESS)
        fwrite(records, 1, size, out);
    if (out)
        fclose(out);
    free(path);
    free(records);
    clear_log(buffer);
}

void counts_collect(int is_over)
{
    pthread_mutex_lock(&counts_lock);
    struct count_buffer *buffer = all_buffers;
    pthread_mutex_unlock(&counts_lock);
    if (!buffer || pthread_mutex_trylock(&read_lock) != 0)
        return;
    for (; buffer; buffer = buffer->next) {
        if (!take_used(buffer, is_over))
            continue;
        collect_counters(buffer);
        /* Work-items that still write would be torn apart. */
        if (is_over)
            collect_log(buffer);
    }
    pthread_mutex_unlock(&read_lock);
}
