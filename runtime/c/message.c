/* Messages on stderr, traces, and the text that they are made of. */
#include "runtime.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int text_reserve(struct fpgacc_text *text, size_t more)
{
    size_t needed = text->length + more + 1;
    if (needed <= text->capacity)
        return 1;
    size_t capacity = needed < 128 ? 128 : 2 * needed;
    char *data = realloc(text->data, capacity);
    if (!data)
        return 0;
    text->data = data;
    text->capacity = capacity;
    return 1;
}

static void text_add_list(struct fpgacc_text *text, const char *format, va_list list)
{
    va_list again;
    va_copy(again, list);
    int length = vsnprintf(NULL, 0, format, again);
    va_end(again);
    if (length < 0 || !text_reserve(text, (size_t)length))
        return;
    vsnprintf(text->data + text->length, (size_t)length + 1, format, list);
    text->length += (size_t)length;
}

void fpgacc_text_add(struct fpgacc_text *text, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    text_add_list(text, format, list);
    va_end(list);
}

void fpgacc_text_add_bytes(struct fpgacc_text *text, const char *data, size_t length)
{
    if (!text_reserve(text, length))
        return;
    memcpy(text->data + text->length, data, length);
    text->length += length;
    text->data[text->length] = '\0';
}

void fpgacc_text_free(struct fpgacc_text *text)
{
    free(text->data);
    memset(text, 0, sizeof *text);
}

/* Puts `fpgacc: ` before each line; one write, so that threads do not mix their lines. */
static void print_lines(const struct fpgacc_text *text)
{
    struct fpgacc_text out = {0};
    const char *line = text->data ? text->data : "";
    while (*line) {
        size_t length = strcspn(line, "\n");
        fpgacc_text_add(&out, "fpgacc: %.*s\n", (int)length, line);
        line += length + (line[length] == '\n');
    }
    if (out.data) {
        fwrite(out.data, 1, out.length, stderr);
        fflush(stderr);
    }
    fpgacc_text_free(&out);
}

/* A host that repeats a failing call in a loop shall not fill the terminal. */
static int said_before(const struct fpgacc_text *text)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static uint64_t said[512];
    static size_t count;
    uint64_t hash = 0xcbf29ce484222325u;
    for (size_t i = 0; i < text->length; i++)
        hash = (hash ^ (unsigned char)text->data[i]) * 0x100000001b3u;
    int found = 0;
    pthread_mutex_lock(&lock);
    for (size_t i = 0; i < count && !found; i++)
        found = said[i] == hash;
    if (!found && count < sizeof said / sizeof said[0])
        said[count++] = hash;
    pthread_mutex_unlock(&lock);
    return found;
}

#ifndef FPGACC_LAYER
void fpgacc_add_caller(struct fpgacc_text *text)
{
    fpgacc_text_add(text, "unknown line");
}
#endif

void fpgacc_add_site(struct fpgacc_text *text, const struct fpgacc_site *site)
{
    if (site->file)
        fpgacc_text_add(text, site->line ? "%s:%d" : "%s", site->file, site->line);
    else
        fpgacc_add_caller(text);
}

void fpgacc_report(enum fpgacc_severity severity, const struct fpgacc_site *site,
                   const char *format, ...)
{
    struct fpgacc_text text = {0};
    if (site) {
        fpgacc_add_site(&text, site);
        fpgacc_text_add(&text, ": ");
    }
    fpgacc_text_add(&text, "%s: ", severity == FPGACC_ERROR ? "error" : "warning");
    va_list list;
    va_start(list, format);
    text_add_list(&text, format, list);
    va_end(list);
    if (!said_before(&text))
        print_lines(&text);
    fpgacc_text_free(&text);
}

const char *fpgacc_environment(const char *name)
{
    const char *value = getenv(name);
    return value && *value ? value : NULL;
}

int fpgacc_switched_on(const char *name)
{
    const char *value = fpgacc_environment(name);
    return value && strcmp(value, "0") != 0;
}

int fpgacc_verbose(void)
{
    return fpgacc_switched_on("FPGACC_VERBOSE");
}

void fpgacc_trace(const char *format, ...)
{
    if (!fpgacc_verbose())
        return;
    struct fpgacc_text text = {0};
    va_list list;
    va_start(list, format);
    text_add_list(&text, format, list);
    va_end(list);
    print_lines(&text);
    fpgacc_text_free(&text);
}

const char *fpgacc_error_name(cl_int error)
{
    switch (error) {
#define NAME(code) \
    case code:     \
        return #code
        NAME(CL_SUCCESS);
        NAME(CL_DEVICE_NOT_FOUND);
        NAME(CL_DEVICE_NOT_AVAILABLE);
        NAME(CL_COMPILER_NOT_AVAILABLE);
        NAME(CL_MEM_OBJECT_ALLOCATION_FAILURE);
        NAME(CL_OUT_OF_RESOURCES);
        NAME(CL_OUT_OF_HOST_MEMORY);
        NAME(CL_BUILD_PROGRAM_FAILURE);
        NAME(CL_INVALID_VALUE);
        NAME(CL_INVALID_DEVICE);
        NAME(CL_INVALID_CONTEXT);
        NAME(CL_INVALID_COMMAND_QUEUE);
        NAME(CL_INVALID_MEM_OBJECT);
        NAME(CL_INVALID_BINARY);
        NAME(CL_INVALID_BUILD_OPTIONS);
        NAME(CL_INVALID_PROGRAM);
        NAME(CL_INVALID_PROGRAM_EXECUTABLE);
        NAME(CL_INVALID_KERNEL_NAME);
        NAME(CL_INVALID_KERNEL);
        NAME(CL_INVALID_ARG_INDEX);
        NAME(CL_INVALID_ARG_VALUE);
        NAME(CL_INVALID_ARG_SIZE);
        NAME(CL_INVALID_KERNEL_ARGS);
        NAME(CL_INVALID_WORK_DIMENSION);
        NAME(CL_INVALID_WORK_GROUP_SIZE);
        NAME(CL_INVALID_WORK_ITEM_SIZE);
        NAME(CL_INVALID_GLOBAL_OFFSET);
        NAME(CL_INVALID_EVENT_WAIT_LIST);
        NAME(CL_INVALID_OPERATION);
        NAME(CL_INVALID_GLOBAL_WORK_SIZE);
#undef NAME
    default:
        return "an OpenCL error";
    }
}

cl_int fpgacc_answer(const void *data, size_t data_size, size_t size, void *value,
                     size_t *size_ret)
{
    if (value && size < data_size)
        return CL_INVALID_VALUE;
    if (value)
        memcpy(value, data, data_size);
    if (size_ret)
        *size_ret = data_size;
    return CL_SUCCESS;
}
