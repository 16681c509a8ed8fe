/* The library that `fpgacc trace` puts between a program and OpenCL: a layer of the ICD loader
 * (clInitLayer), so that it sees the calls of any program, however it found the loader. It sees
 * only calls that succeed, changes nothing that the program could notice, and writes what it saw
 * as JSON to FPGACC_TRACE_FOLDER/PROCESS.json. */
#ifndef FPGACC_TRACE_H
#define FPGACC_TRACE_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* dladdr */
#endif

#include <pthread.h>
#include <stddef.h>
#include <stdint.h>

#define CL_TARGET_OPENCL_VERSION 300
#define CL_USE_DEPRECATED_OPENCL_1_0_APIS
#define CL_USE_DEPRECATED_OPENCL_1_1_APIS
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#define CL_USE_DEPRECATED_OPENCL_2_0_APIS
#define CL_USE_DEPRECATED_OPENCL_2_1_APIS
#define CL_USE_DEPRECATED_OPENCL_2_2_APIS
#include <CL/cl_layer.h>

/* OpenCL below this layer. */
extern cl_icd_dispatch next;

/* Around all that looks at or changes what was seen. Never held over a call into OpenCL. */
void trace_begin(void);
void trace_end(void);

/* ---- values.c: what a number was ------------------------------------------------------------- */

#define SEEN_MOST 8

/* Different values in ascending order; when there are more than SEEN_MOST, their range only. */
struct values {
    uint64_t seen[SEEN_MOST];
    unsigned count;
    int is_many;
    uint64_t min;
    uint64_t max;
    uint64_t step; /* divides all differences; 0: one value */
};

void values_add(struct values *values, uint64_t value);

/* Different byte strings of one size, up to SEEN_MOST. */
struct blobs {
    unsigned char *seen[SEEN_MOST];
    unsigned count;
    int is_many;
};

void blobs_add(struct blobs *blobs, const void *data, size_t size);

/* ---- places.c: where a call stands ----------------------------------------------------------- */

#define FRAMES 4

/* An address in the program's code, after a call. */
struct place {
    const void *address;
    char *module;     /* its file */
    uintptr_t offset; /* as the module's debug information counts */
    int is_loader;    /* in this library or in the ICD loader */
    struct place *next;
};

/* ---- script.c: where it stands in Python -------------------------------------------------------- */

struct script {
    char *file;
    int line;
    struct script *next;
};

/* The innermost line of the program itself; NULL: this is no Python. */
const struct script *script_here(void);

/* The innermost frames of the program, outside of the loader. */
struct site {
    const struct script *script;
    const struct place *frames[FRAMES];
    unsigned count;
};

void site_here(struct site *site);
int site_equal(const struct site *a, const struct site *b);

/* ---- objects.c: what the program created ------------------------------------------------------ */

/* All programs of one text from one place. */
struct program {
    struct program *next;
    struct site site;
    char **strings; /* NULL: not from source */
    size_t *lengths;
    unsigned string_count;
    char **options; /* different ones of its builds */
    unsigned option_count;
    char **kernels; /* names that were created */
    unsigned kernel_count;
    struct count_text *counts; /* of its builds that count */
    unsigned number;           /* from 0 */
};

/* The memory objects that one place created and that lived at different times. */
struct memory {
    struct memory *next;
    struct site site;
    unsigned ordinal; /* among those of the place that live at the same time, from 1 */
    const char *call;
    cl_mem_flags flags;
    struct values size;
    struct memory *parent; /* of a sub-buffer */
    struct values origin;
    int is_alive;
    unsigned number; /* from 0 */
};

/* A memory object that lives. */
struct live {
    struct live *next;
    cl_mem handle;
    struct memory *memory;
    cl_mem root;
    size_t begin;
    size_t size;
    uintptr_t host; /* CL_MEM_USE_HOST_PTR; else 0 */
};

enum argument_kind { ARGUMENT_UNSET, ARGUMENT_MEMORY, ARGUMENT_LOCAL, ARGUMENT_VALUE, ARGUMENT_SVM,
                     ARGUMENT_SAMPLER };

struct argument {
    enum argument_kind kind;
    size_t size;
    cl_mem memory;
    unsigned char *bytes;
    size_t capacity;
};

struct kernel {
    struct kernel *next;
    cl_kernel handle;
    char *name;
    struct program *program;
    struct counted *counted; /* it counts, into arguments after those of the program */
    cl_uint count;
    char **types;             /* "" where OpenCL does not say */
    unsigned char *qualifiers; /* 'g'lobal, 'c'onstant, 'l'ocal, 'p'rivate, '?' */
    struct argument *arguments;
};

struct queue {
    struct queue *next;
    cl_command_queue handle;
    int out_of_order;
    int profiling;       /* the program asked for it */
    int profiling_added; /* this library did */
};

void programs_add(cl_program handle, cl_uint count, const char **strings, const size_t *lengths,
                  const struct site *site);
void programs_same(cl_program handle, cl_program as);
int programs_is_source(cl_program handle);
void programs_options(cl_program handle, const char *options);

struct program *programs_find(cl_program handle);

/* The name of a kernel, to free. */
char *kernel_name(cl_kernel handle);
void kernels_add(cl_kernel handle, cl_program program, struct counted *counted);
/* What a kernel counts for, and its first argument for that; NULL: nothing. */
struct counted *kernels_counted(cl_kernel handle, cl_uint *index);
void kernels_copy(cl_kernel handle, cl_kernel from);
void kernels_set(cl_kernel handle, cl_uint index, size_t size, const void *value, int is_svm);
struct kernel *kernels_find(cl_kernel handle);

void memory_add(cl_mem handle, const char *call, cl_mem_flags flags, size_t size, const void *host,
                const struct site *site);
void memory_add_part(cl_mem handle, cl_mem parent, cl_mem_flags flags, size_t origin, size_t size,
                     const struct site *site);
void memory_forget(cl_mem handle);
struct live *memory_find(cl_mem handle);

void queues_add(cl_command_queue handle, int out_of_order, int profiling, int profiling_added);
int queues_hides_profiling(cl_command_queue handle);
int queues_is_out_of_order(cl_command_queue handle);

extern struct program *all_programs;
extern struct memory *all_memory;

/* ---- launches.c ------------------------------------------------------------------------------ */

#define MEMORY_MOST 16

struct argument_seen {
    int kinds; /* bits: 1 << enum argument_kind */
    const struct memory *memory[MEMORY_MOST];
    unsigned memory_count;
    int is_memory_many;
    int is_null;    /* a buffer argument was NULL */
    int is_foreign; /* memory that another call created */
    struct values size;
    struct values value; /* up to 8 bytes */
    struct blobs blobs;
};

struct launch {
    struct launch *next;
    struct site site;
    struct program *program;
    char *kernel;
    cl_uint work_dim;
    int is_task;
    int has_local;
    int out_of_order;
    size_t local[3];
    struct values offset[3];
    struct values global[3];
    uint64_t count;
    cl_uint argument_count;
    char **types;
    unsigned char *overlapping; /* argument_count squared */
    struct argument_seen *arguments;
    uint64_t timed;
    uint64_t min_ns;
    uint64_t max_ns;
    uint64_t total_ns;
};

extern struct launch *all_launches;

/* Notes a launch that was enqueued; NULL if memory is short. */
struct launch *launches_add(cl_command_queue queue, cl_kernel kernel, cl_uint work_dim,
                            int is_task, const size_t *offset, const size_t *global,
                            const size_t *local, const struct site *site);

/* Waits for an event's times; takes over the event. */
void times_add(struct launch *launch, cl_event event);
/* Takes the times of events that are complete. 1: of all. */
int times_collect(void);

/* ---- counts.c -------------------------------------------------------------------------------- */

/* A program's text that counts, for one option string. */
struct count_text {
    struct count_text *next;
    struct program *program;
    char *options;
    char *base; /* path of its files, without suffix */
    char *text; /* NULL: it could not be made */
    char *build_options;
    int is_counting; /* loops and branches */
    int is_logging;  /* accesses */
    unsigned counters;
    uint64_t *totals; /* between trace_begin and trace_end */
    char **logged;    /* the kernels of launches that may be in the log, by number; likewise */
    unsigned logged_count;
    struct launches_of *launches;
};

/* A program is built, or its handle is that of another one now. */
void counts_built(cl_program handle, const char *options);
void counts_forget(cl_program handle);
/* Puts a kernel that counts in the place of a new one; NULL: it stays as it is. */
struct counted *counts_kernel(cl_program handle, cl_kernel *kernel);
/* The program that a kernel which counts was created from. */
cl_program counts_user(const struct counted *counted);
/* How many arguments its kernels have that the program does not see. */
cl_uint counts_hidden(const struct counted *counted);
/* A kernel is about to be enqueued. */
void counts_launch(cl_command_queue queue, cl_kernel kernel);
/* Reads the counters; `is_over`: no launch is under way. */
void counts_collect(int is_over);

/* The options with those that make types of arguments known, to free. */
char *with_argument_info(const char *options);

/* ---- write.c --------------------------------------------------------------------------------- */

void write_device(cl_device_id device);
/* Writes the file. */
void write_now(void);

/* Counts a launch; between trace_begin and trace_end. */
void write_launch_made(void);

/* Writes the file, if the last time is long enough ago or a launch is unlike those before: what ends without
 * exit handlers (_exit, abort, a signal) leaves what was written. */
void write_soon(int is_new);

/* Starts to write what has changed, a few times a second: a program may be killed while it waits. */
void write_meanwhile(void);

#endif
