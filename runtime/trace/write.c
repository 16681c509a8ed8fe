/* What was seen, as JSON. */
#include "trace.h"

#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t write_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t trace_lock = PTHREAD_MUTEX_INITIALIZER;
static int is_changed; /* since it was written, perhaps */

/* ---- what would be lost ----------------------------------------------------------------------- */

/* In a file beside the record, which outlives the process however it ends: how many launches it made, and
 * how many of them are in the record. */
struct progress {
    uint64_t launches;
    uint64_t written;
};

static struct progress nowhere;
static struct progress *progress = &nowhere;

/* The path of a file of this process. */
static int path_here(char *path, size_t size, const char *suffix)
{
    const char *folder = getenv("FPGACC_TRACE_FOLDER");
    if (!folder || !*folder)
        return 0;
    int length = snprintf(path, size, "%s/%ld.%s", folder, (long)getpid(), suffix);
    return length > 0 && (size_t)length < size;
}

static void open_progress(void)
{
    char path[4096];
    progress = &nowhere;
    if (!path_here(path, sizeof path, "progress"))
        return;
    int file = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (file < 0)
        return;
    if (ftruncate(file, sizeof nowhere) == 0) {
        void *memory = mmap(NULL, sizeof nowhere, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
        if (memory != MAP_FAILED)
            progress = memory;
    }
    close(file);
}

void write_launch_made(void)
{
    progress->launches++;
}

void trace_begin(void)
{
    pthread_mutex_lock(&trace_lock);
    is_changed = 1;
}

void trace_end(void)
{
    pthread_mutex_unlock(&trace_lock);
}

/* ---- pieces ----------------------------------------------------------------------------------- */

/* Bytes that are no UTF-8 go through as they are; the reader judges them. */
static void write_bytes(FILE *out, const char *data, size_t length)
{
    fputc('"', out);
    for (size_t i = 0; i < length; i++) {
        unsigned char c = (unsigned char)data[i];
        if (c == '"' || c == '\\')
            fprintf(out, "\\%c", c);
        else if (c < 0x20 || c == 0x7f)
            fprintf(out, "\\u%04x", c);
        else
            fputc(c, out);
    }
    fputc('"', out);
}

static void write_string(FILE *out, const char *text)
{
    write_bytes(out, text ? text : "", text ? strlen(text) : 0);
}

static void write_name(FILE *out, const char *name)
{
    fprintf(out, ",\"%s\":", name);
}

static void write_number(FILE *out, const char *name, uint64_t number)
{
    fprintf(out, ",\"%s\":%" PRIu64, name, number);
}

static void write_strings(FILE *out, const char *name, char *const *strings, unsigned count)
{
    write_name(out, name);
    fputc('[', out);
    for (unsigned i = 0; i < count; i++) {
        fputs(i ? "," : "", out);
        write_string(out, strings[i]);
    }
    fputc(']', out);
}

static void write_values(FILE *out, const struct values *values)
{
    if (values->is_many) {
        fprintf(out, "{\"min\":%" PRIu64 ",\"max\":%" PRIu64 ",\"step\":%" PRIu64 "}", values->min,
                values->max, values->step);
        return;
    }
    fputc('[', out);
    for (unsigned i = 0; i < values->count; i++)
        fprintf(out, "%s%" PRIu64, i ? "," : "", values->seen[i]);
    fputc(']', out);
}

static void write_site(FILE *out, const struct site *site)
{
    fputs("\"site\":{\"frames\":[", out);
    for (unsigned i = 0; i < site->count; i++) {
        fputs(i ? ",{\"module\":" : "{\"module\":", out);
        write_string(out, site->frames[i]->module);
        fprintf(out, ",\"offset\":%" PRIuPTR "}", site->frames[i]->offset);
    }
    fputc(']', out);
    if (site->script) {
        fputs(",\"script\":{\"file\":", out);
        write_string(out, site->script->file);
        fprintf(out, ",\"line\":%d}", site->script->line);
    }
    fputc('}', out);
}

/* ---- programs, memory, launches --------------------------------------------------------------- */

static void write_counts(FILE *out, const struct count_text *text)
{
    fputs("{\"base\":", out);
    write_string(out, text->base);
    fputs(",\"counters\":[", out);
    for (unsigned i = 0; i < text->counters; i++)
        fprintf(out, "%s%" PRIu64, i ? "," : "", text->totals[i]);
    fputc(']', out);
    write_strings(out, "logged", text->logged, text->logged_count);
    fputc('}', out);
}

static void write_program(FILE *out, const struct program *program)
{
    fputc('{', out);
    write_site(out, &program->site);
    write_name(out, "strings");
    fputc('[', out);
    for (unsigned i = 0; i < program->string_count; i++) {
        fputs(i ? "," : "", out);
        write_bytes(out, program->strings[i], program->lengths[i]);
    }
    fputc(']', out);
    write_strings(out, "options", program->options, program->option_count);
    write_strings(out, "kernels", program->kernels, program->kernel_count);
    write_name(out, "counts");
    fputc('[', out);
    const char *comma = "";
    for (const struct count_text *text = program->counts; text; text = text->next)
        if (text->text && text->totals) {
            fputs(comma, out);
            write_counts(out, text);
            comma = ",";
        }
    fputc(']', out);
    fputs("}\n", out);
}

static void write_memory(FILE *out, const struct memory *memory)
{
    fputc('{', out);
    write_site(out, &memory->site);
    write_name(out, "call");
    write_string(out, memory->call);
    write_number(out, "flags", memory->flags);
    write_name(out, "size");
    write_values(out, &memory->size);
    if (memory->parent) {
        write_number(out, "parent", memory->parent->number);
        write_name(out, "origin");
        write_values(out, &memory->origin);
    }
    fputs("}\n", out);
}

static const char *kind_name(enum argument_kind kind)
{
    switch (kind) {
    case ARGUMENT_MEMORY:
        return "memory";
    case ARGUMENT_LOCAL:
        return "local";
    case ARGUMENT_VALUE:
        return "value";
    case ARGUMENT_SVM:
        return "svm";
    case ARGUMENT_SAMPLER:
        return "sampler";
    default:
        return "unset";
    }
}

static void write_blobs(FILE *out, const struct argument_seen *seen)
{
    fputs(",\"bytes\":[", out);
    for (unsigned i = 0; i < seen->blobs.count; i++) {
        fputs(i ? ",\"" : "\"", out);
        for (uint64_t byte = 0; byte < seen->size.min; byte++)
            fprintf(out, "%02x", seen->blobs.seen[i][byte]);
        fputc('"', out);
    }
    fprintf(out, "],\"many\":%s", seen->blobs.is_many ? "true" : "false");
}

static void write_argument(FILE *out, const struct argument_seen *seen, const char *type)
{
    fputs("{\"kinds\":[", out);
    const char *comma = "";
    for (int kind = ARGUMENT_UNSET; kind <= ARGUMENT_SAMPLER; kind++)
        if (seen->kinds & 1 << kind) {
            fprintf(out, "%s\"%s\"", comma, kind_name(kind));
            comma = ",";
        }
    fputc(']', out);
    write_name(out, "type");
    write_string(out, type);
    write_name(out, "size");
    write_values(out, &seen->size);
    if (seen->kinds & 1 << ARGUMENT_MEMORY) {
        fputs(",\"memory\":[", out);
        for (unsigned i = 0; i < seen->memory_count; i++)
            fprintf(out, "%s%u", i ? "," : "", seen->memory[i]->number);
        fprintf(out, "],\"null\":%s,\"other\":%s", seen->is_null ? "true" : "false",
                seen->is_memory_many || seen->is_foreign ? "true" : "false");
    }
    if (seen->kinds & 1 << ARGUMENT_VALUE) {
        write_name(out, "value");
        write_values(out, &seen->value);
        write_blobs(out, seen);
    }
    fputc('}', out);
}

static void write_geometry(FILE *out, const struct launch *launch)
{
    write_number(out, "work_dim", launch->work_dim);
    write_name(out, "offset");
    for (cl_uint d = 0; d < launch->work_dim; d++) {
        fputc(d ? ',' : '[', out);
        write_values(out, &launch->offset[d]);
    }
    fputc(']', out);
    write_name(out, "global");
    for (cl_uint d = 0; d < launch->work_dim; d++) {
        fputc(d ? ',' : '[', out);
        write_values(out, &launch->global[d]);
    }
    fputc(']', out);
    if (!launch->has_local)
        return;
    write_name(out, "local");
    for (cl_uint d = 0; d < launch->work_dim; d++)
        fprintf(out, "%s%zu", d ? "," : "[", launch->local[d]);
    fputc(']', out);
}

static void write_launch(FILE *out, const struct launch *launch)
{
    fputc('{', out);
    write_site(out, &launch->site);
    write_name(out, "kernel");
    write_string(out, launch->kernel);
    if (launch->program)
        write_number(out, "program", launch->program->number);
    write_geometry(out, launch);
    write_number(out, "count", launch->count);
    fprintf(out, ",\"out_of_order\":%s", launch->out_of_order ? "true" : "false");
    fputs(",\"arguments\":[", out);
    for (cl_uint i = 0; i < launch->argument_count; i++) {
        fputs(i ? "," : "", out);
        write_argument(out, &launch->arguments[i], launch->types[i]);
    }
    fputs("],\"overlapping\":[", out);
    const char *comma = "";
    for (cl_uint i = 0; i < launch->argument_count; i++)
        for (cl_uint j = i + 1; j < launch->argument_count; j++)
            if (launch->overlapping[i * launch->argument_count + j]) {
                fprintf(out, "%s[%u,%u]", comma, i, j);
                comma = ",";
            }
    fputc(']', out);
    if (launch->timed) {
        fprintf(out, ",\"time\":{\"count\":%" PRIu64 ",\"min_ns\":%" PRIu64, launch->timed,
                launch->min_ns);
        fprintf(out, ",\"max_ns\":%" PRIu64 ",\"total_ns\":%" PRIu64 "}", launch->max_ns,
                launch->total_ns);
    }
    fputs("}\n", out);
}

/* ---- the file --------------------------------------------------------------------------------- */

static char **devices;
static unsigned device_count;

void write_device(cl_device_id device)
{
    char name[256] = "";
    char platform_name[256] = "";
    char both[520];
    cl_platform_id platform = NULL;
    next.clGetDeviceInfo(device, CL_DEVICE_NAME, sizeof name - 1, name, NULL);
    if (next.clGetDeviceInfo(device, CL_DEVICE_PLATFORM, sizeof platform, &platform, NULL) ==
        CL_SUCCESS)
        next.clGetPlatformInfo(platform, CL_PLATFORM_NAME, sizeof platform_name - 1, platform_name,
                               NULL);
    snprintf(both, sizeof both, "%s: %s", platform_name, name);
    trace_begin();
    unsigned at = 0;
    while (at < device_count && strcmp(devices[at], both) != 0)
        at++;
    char **grown = at < device_count ? NULL : realloc(devices, (at + 1) * sizeof *devices);
    if (grown) {
        devices = grown;
        devices[at] = strdup(both);
        device_count += devices[at] != NULL;
    }
    trace_end();
}

static void write_all(FILE *out)
{
    const char *comma = "";
    fputs("{\"programs\":[", out);
    for (const struct program *one = all_programs; one; one = one->next, comma = ",") {
        fputs(comma, out);
        write_program(out, one);
    }
    fputs("],\"memory\":[", out);
    comma = "";
    for (const struct memory *one = all_memory; one; one = one->next, comma = ",") {
        fputs(comma, out);
        write_memory(out, one);
    }
    fputs("],\"launches\":[", out);
    comma = "";
    for (const struct launch *one = all_launches; one; one = one->next, comma = ",") {
        fputs(comma, out);
        write_launch(out, one);
    }
    fputc(']', out);
    write_strings(out, "devices", devices, device_count);
    fputs("}\n", out);
}

/* Writing between the program's calls takes no more than this part of its time... */
#define SHARE 20
/* ... but for this many launches that are unlike any before. */
#define NEW_MOST 64

static uint64_t next_write; /* not before this time, in nanoseconds */

static uint64_t now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

/* Beside its place and renamed: what a reader finds is whole. */
void write_now(void)
{
    char path[4096];
    char part[4112];
    if (!path_here(path, sizeof path, "json"))
        return;
    snprintf(part, sizeof part, "%s.part", path);
    pthread_mutex_lock(&write_lock);
    uint64_t start = now();
    FILE *out = fopen(part, "we");
    if (out) {
        pthread_mutex_lock(&trace_lock);
        is_changed = 0;
        uint64_t launches = progress->launches;
        write_all(out);
        pthread_mutex_unlock(&trace_lock);
        int failed = ferror(out);
        failed |= fclose(out) != 0;
        if (failed || rename(part, path) != 0)
            unlink(part);
        else
            progress->written = launches;
    }
    uint64_t end = now();
    __atomic_store_n(&next_write, end + SHARE * (end - start), __ATOMIC_RELAXED);
    pthread_mutex_unlock(&write_lock);
}

void write_soon(int is_new)
{
    static unsigned new_count;
    int is_first = is_new && __atomic_add_fetch(&new_count, 1, __ATOMIC_RELAXED) <= NEW_MOST;
    if (is_first || now() >= __atomic_load_n(&next_write, __ATOMIC_RELAXED))
        write_now();
}

/* ---- while the program runs ------------------------------------------------------------------- */

#define PAUSE_NS 200000000

static void *keep_writing(void *unused)
{
    (void)unused;
    const struct timespec pause = {.tv_nsec = PAUSE_NS};
    for (;;) {
        nanosleep(&pause, NULL);
        pthread_mutex_lock(&trace_lock);
        int is_due = is_changed;
        pthread_mutex_unlock(&trace_lock);
        if (is_due)
            write_now();
    }
    return NULL;
}

/* A child must not find locks that a thread holds which it does not have. */
static void before_fork(void)
{
    pthread_mutex_lock(&write_lock);
    pthread_mutex_lock(&trace_lock);
}

static void behind_fork(void)
{
    pthread_mutex_unlock(&trace_lock);
    pthread_mutex_unlock(&write_lock);
}

/* The child's launches are its own. */
static void in_child(void)
{
    open_progress();
    behind_fork();
}

/* Without the thread what was seen is written at the end only. Signals are for the program's own. */
void write_meanwhile(void)
{
    sigset_t all;
    sigset_t before;
    pthread_t thread;
    open_progress();
    pthread_atfork(before_fork, behind_fork, in_child);
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    if (pthread_create(&thread, NULL, keep_writing, NULL) == 0)
        pthread_detach(thread);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}
