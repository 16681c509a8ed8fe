/* The record of what the host reads back (FPGACC_RECORD), from which `fpgacc --verify` compares two
 * runs. One line for each event, after some of them bytes:
 *
 *     readback NUMBER THREAD CALL BUFFER TYPE OFFSET ERROR ADDRESS LENGTH, then LENGTH bytes and a
 *         newline; NUMBER counts all calls, THREAD the threads that make some; after ADDRESS and
 *         a comma each, where those functions of the executable go on that are around the call
 *     launch FORM ERROR LINE KERNEL [FILE]
 *     unfinished NUMBER CALL ADDRESS: the host never learnt that the read-back was complete
 *
 * Words that are not known are `-`. Nothing here changes what the host asks of the device: a
 * read-back that does not block is recorded when the host learns that it is complete, and not
 * later, since the host may then write to that memory. */
#include "runtime.h"

#include <elf.h>
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

/* The linker's name for the executable's own header. */
extern const Elf64_Ehdr __ehdr_start __attribute__((weak, visibility("hidden")));
/* The linker's name for the end of its code. */
extern const char etext __attribute__((weak));

/* How many functions around a call are told apart: bindings for C++ have two or three of their own. */
enum { AROUND = 8 };

/* Which call it was, of which thread, and from where: the innermost address first, NULL after the last. */
struct call {
    unsigned long number;
    unsigned long thread;
    const void *from[AROUND + 1];
};

struct pending {
    struct pending *next;
    struct fpgacc_readback readback;
    struct call call;
    cl_event event;
};

struct buffer {
    struct fpgacc_node node;
    unsigned long number;
    char type[32];
};

/* Guards all of this file, and the order of the file's lines. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static int file = -1;
static int is_broken;
static unsigned long readbacks;
static unsigned long threads;
static __thread unsigned long own_thread;
static unsigned long buffers;
static struct fpgacc_table known;
static struct pending *first;
static struct pending **last = &first;

static void record_unfinished(void);

static void open_file(void)
{
    const char *name = fpgacc_environment("FPGACC_RECORD");
    if (!name)
        return;
    file = open(name, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    if (file < 0)
        fpgacc_report(FPGACC_ERROR, NULL, "cannot record into %s: %s", name, strerror(errno));
    else
        atexit(record_unfinished);
}

int fpgacc_recording(void)
{
    pthread_once(&once, open_file);
    return file >= 0;
}

static void write_all(const char *data, size_t size)
{
    while (size > 0 && !is_broken) {
        ssize_t written = write(file, data, size);
        if (written < 0 && errno == EINTR)
            continue;
        if (written < 0) {
            is_broken = 1;
            fpgacc_report(FPGACC_ERROR, NULL, "the record ends here: %s", strerror(errno));
            return;
        }
        data += written;
        size -= (size_t)written;
    }
}

static void write_text(struct fpgacc_text *text)
{
    if (text->data)
        write_all(text->data, text->length);
    fpgacc_text_free(text);
}

/* As the debug information counts: from the executable's start if that may lie anywhere. */
static uintptr_t link_address(const void *address)
{
    uintptr_t value = (uintptr_t)address;
    if (&__ehdr_start && __ehdr_start.e_type == ET_DYN)
        value -= (uintptr_t)&__ehdr_start;
    return value;
}

static int is_of_executable(const void *address)
{
    return &__ehdr_start && &etext && (const char *)address > (const char *)&__ehdr_start &&
           (const char *)address <= &etext;
}

/* The calls of the executable's own that led to one of which `caller` is the address. */
static void find_callers(struct call *call, const void *caller)
{
    void *frames[2 * AROUND];
    int depth = backtrace(frames, 2 * AROUND);
    int at = 0, found = 0;
    call->from[found++] = caller;
    while (at < depth && frames[at] != caller)
        at++;
    for (at++; at < depth && found < AROUND; at++)
        if (is_of_executable(frames[at]))
            call->from[found++] = frames[at];
}

static void add_callers(struct fpgacc_text *line, const struct call *call)
{
    for (int i = 0; call->from[i]; i++)
        fpgacc_text_add(line, "%s%" PRIxPTR, i > 0 ? "," : "", link_address(call->from[i]));
}

static struct buffer *find_buffer(cl_mem memory)
{
    return memory ? (struct buffer *)fpgacc_table_find(&known, memory) : NULL;
}

static void write_readback(const struct fpgacc_readback *readback, const struct call *call)
{
    const struct fpgacc_region *region = &readback->region;
    const struct buffer *buffer = find_buffer(readback->memory);
    size_t length =
        readback->error == CL_SUCCESS ? region->row * region->rows * region->slices : 0;
    struct fpgacc_text line = {0};
    fpgacc_text_add(&line, "readback %lu %lu %s ", call->number, call->thread, readback->call);
    if (buffer)
        fpgacc_text_add(&line, "%lu ", buffer->number);
    else
        fpgacc_text_add(&line, "- ");
    fpgacc_text_add(&line, "%s %zu %d ", buffer && buffer->type[0] ? buffer->type : "-",
                    readback->offset, (int)readback->error);
    add_callers(&line, call);
    fpgacc_text_add(&line, " %zu\n", length);
    write_text(&line);
    if (length > 0 && region->rows == 1 && region->slices == 1) {
        write_all(region->data, length);
    } else if (length > 0) {
        for (size_t slice = 0; slice < region->slices; slice++)
            for (size_t row = 0; row < region->rows; row++)
                write_all(region->data + slice * region->slice_pitch + row * region->row_pitch,
                          region->row);
    }
    write_all("\n", 1);
}

void fpgacc_record_readback(const struct fpgacc_readback *readback, cl_event event)
{
    fpgacc_record_complete();
    pthread_mutex_lock(&lock);
    if (own_thread == 0)
        own_thread = ++threads;
    struct call call = {++readbacks, own_thread, {NULL}};
    find_callers(&call, readback->caller);
    struct pending *pending =
        event && readback->error == CL_SUCCESS ? calloc(1, sizeof *pending) : NULL;
    if (pending) {
        pending->readback = *readback;
        pending->call = call;
        pending->event = event;
        *last = pending;
        last = &pending->next;
    } else {
        write_readback(readback, &call);
    }
    pthread_mutex_unlock(&lock);
}

static int is_complete(cl_event event, cl_int *status)
{
    cl_int error = __real_clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS,
                                         sizeof *status, status, NULL);
    if (error != CL_SUCCESS)
        *status = error;
    return *status <= CL_COMPLETE;
}

void fpgacc_record_complete(void)
{
    if (!fpgacc_recording())
        return;
    pthread_mutex_lock(&lock);
    struct pending **link = &first;
    while (*link) {
        struct pending *pending = *link;
        cl_int status;
        if (!is_complete(pending->event, &status)) {
            link = &pending->next;
            continue;
        }
        pending->readback.error = status;
        write_readback(&pending->readback, &pending->call);
        clReleaseEvent(pending->event);
        *link = pending->next;
        free(pending);
    }
    last = link;
    pthread_mutex_unlock(&lock);
}

static void write_unfinished(const struct pending *pending)
{
    struct fpgacc_text line = {0};
    fpgacc_text_add(&line, "unfinished %lu %s ", pending->call.number, pending->readback.call);
    add_callers(&line, &pending->call);
    fpgacc_text_add(&line, "\n");
    write_text(&line);
}

void fpgacc_record_unmapped(const void *data)
{
    if (!fpgacc_recording())
        return;
    fpgacc_record_complete();
    pthread_mutex_lock(&lock);
    struct pending **link = &first;
    while (*link) {
        struct pending *pending = *link;
        if (pending->readback.region.data != data) {
            link = &pending->next;
            continue;
        }
        write_unfinished(pending);
        clReleaseEvent(pending->event);
        *link = pending->next;
        free(pending);
    }
    last = link;
    pthread_mutex_unlock(&lock);
}

/* The memory of these may be gone. */
static void record_unfinished(void)
{
    pthread_mutex_lock(&lock);
    for (const struct pending *pending = first; pending; pending = pending->next)
        write_unfinished(pending);
    first = NULL;
    last = &first;
    pthread_mutex_unlock(&lock);
}

void fpgacc_record_buffer(cl_mem memory)
{
    pthread_mutex_lock(&lock);
    /* The address of a buffer that was released may be given out again. */
    struct buffer *buffer = find_buffer(memory);
    if (!buffer && (buffer = calloc(1, sizeof *buffer))) {
        buffer->node.key = memory;
        fpgacc_table_add(&known, &buffer->node);
    }
    buffers++;
    if (buffer) {
        buffer->number = buffers;
        buffer->type[0] = '\0';
    }
    pthread_mutex_unlock(&lock);
}

/* Types under which kernels clear and copy memory of any type. */
static int is_raw(const char *type)
{
    return strcmp(type, "char") == 0 || strcmp(type, "uchar") == 0;
}

/* The element type's name; `?` where kernels differ, or where it is too long to be a number. */
void fpgacc_record_type(cl_mem memory, const char *type_name)
{
    char name[sizeof ((struct buffer *)0)->type] = "?";
    size_t length = strcspn(type_name, "* ");
    if (length > 0 && length < sizeof name) {
        memcpy(name, type_name, length);
        name[length] = '\0';
    }
    pthread_mutex_lock(&lock);
    struct buffer *buffer = find_buffer(memory);
    if (buffer && strcmp(buffer->type, name) != 0) {
        if (buffer->type[0] == '\0' || is_raw(buffer->type))
            strcpy(buffer->type, name);
        else if (!is_raw(name))
            strcpy(buffer->type, "?");
    }
    pthread_mutex_unlock(&lock);
}

void fpgacc_record_launch(cl_kernel kernel, const struct fpgacc_kernel *info, cl_int error,
                          const struct fpgacc_site *site)
{
    char name[256] = "-";
    if (!fpgacc_recording())
        return;
    if (__real_clGetKernelInfo(kernel, CL_KERNEL_FUNCTION_NAME, sizeof name, name, NULL) !=
        CL_SUCCESS)
        strcpy(name, "-");
    static const char *const forms[] = {"ndrange", "task", "coarsened"};
    const char *form = info ? forms[info->form] : "original";
    struct fpgacc_text line = {0};
    fpgacc_text_add(&line, "launch %s %d %d %s %s\n", form, (int)error, site->line, name,
                    site->file ? site->file : "-");
    pthread_mutex_lock(&lock);
    write_text(&line);
    pthread_mutex_unlock(&lock);
}
