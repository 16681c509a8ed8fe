/* What the runtime's files share. Each section belongs to the file that it names. */
#ifndef FPGACC_RUNTIME_H
#define FPGACC_RUNTIME_H

#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200809L
#endif

#include <pthread.h>

#include "manifest.h"
#include "peers.h" /* before the functions that it renames */
#include "opencl.h"

/* Where the host made a call; `file` is NULL if the call came without a source patch, and `line` is 0 if `file` says
 * all that is known. */
struct fpgacc_site {
    const char *file;
    int line;
};

/* ---- message.c ------------------------------------------------------------------------------ */

enum fpgacc_severity { FPGACC_WARNING, FPGACC_ERROR };

#define FPGACC_PRINTF(text, first) __attribute__((__format__(__printf__, text, first)))

/* Text that grows. Empty: all zero. */
struct fpgacc_text {
    char *data;
    size_t length;
    size_t capacity;
};

void fpgacc_text_add(struct fpgacc_text *text, const char *format, ...) FPGACC_PRINTF(2, 3);
void fpgacc_text_add_bytes(struct fpgacc_text *text, const char *data, size_t length);
void fpgacc_text_free(struct fpgacc_text *text);

/* Prints `site: severity: text` on stderr, each line after `fpgacc: `, the same message only once
 * a process. Without a site (NULL): what is no fault of a call. */
void fpgacc_report(enum fpgacc_severity severity, const struct fpgacc_site *site,
                   const char *format, ...) FPGACC_PRINTF(3, 4);

/* Whether FPGACC_VERBOSE asks for traces, and one line of them. */
int fpgacc_verbose(void);
void fpgacc_trace(const char *format, ...) FPGACC_PRINTF(1, 2);

/* `host.c:12`, or the caller. */
void fpgacc_add_site(struct fpgacc_text *text, const struct fpgacc_site *site);

/* `unknown line`; in a layer the address that called OpenCL, as `app+0x12ab`. */
void fpgacc_add_caller(struct fpgacc_text *text);

/* `CL_INVALID_KERNEL`, or the number. */
const char *fpgacc_error_name(cl_int error);

/* The value of an environment variable, or NULL if it is unset or empty; whether it is set to
 * anything but 0. */
const char *fpgacc_environment(const char *name);
int fpgacc_switched_on(const char *name);

/* ---- table.c -------------------------------------------------------------------------------- */

/* The first member of everything that is found by an OpenCL handle. */
struct fpgacc_node {
    const void *key;
    struct fpgacc_node *next;
};

#define FPGACC_BUCKETS 256

struct fpgacc_table {
    struct fpgacc_node *buckets[FPGACC_BUCKETS];
    size_t count;
};

/* Guards every table and the counts in their entries. Never held over a call into OpenCL. */
extern pthread_mutex_t fpgacc_lock;

struct fpgacc_node *fpgacc_table_find(const struct fpgacc_table *table, const void *key);
void fpgacc_table_add(struct fpgacc_table *table, struct fpgacc_node *node);
void fpgacc_table_remove(struct fpgacc_table *table, struct fpgacc_node *node);

/* ---- platform.c ----------------------------------------------------------------------------- */

/* Whether kernels of the manifest's target can run on a platform or device. */
int fpgacc_is_target_platform(cl_platform_id platform);
int fpgacc_is_target_device(cl_device_id device);

/* The platform for a host that names none; NULL leaves it to the ICD loader. */
cl_platform_id fpgacc_default_platform(void);

/* For messages. */
const char *fpgacc_target_name(void);

/* ---- devices.c ------------------------------------------------------------------------------ */

struct fpgacc_limits {
    size_t max_group_size;
    size_t max_item_sizes[3];
};

cl_int fpgacc_device_limits(cl_device_id device, struct fpgacc_limits *limits);
int fpgacc_has_compiler(cl_device_id device);
cl_device_id *fpgacc_context_devices(cl_context context, cl_uint *count);

/* What buffers and origins of their parts are aligned to on all devices of a context, in bytes; 1 if
 * that cannot be asked. */
size_t fpgacc_context_alignment(cl_context context);

/* ---- seal.c --------------------------------------------------------------------------------- */

/* What the end of an .aocx says of it. */
struct fpgacc_seal {
    size_t program_size; /* bytes of the program itself */
    const char *label;   /* the build's name for messages, not terminated */
    int label_size;
    uint64_t build;
    int is_whole; /* the digest is that of the bytes */
};

/* Whether there is a seal. */
int fpgacc_seal_read(struct fpgacc_seal *seal, const unsigned char *data, size_t size);

/* Whether bytes are the program of a variant: sealed for its build and whole, or without a seal if
 * the variant has none. If not, adds what they are to `why`. */
int fpgacc_seal_check(const struct fpgacc_program *variant, const unsigned char *data,
                      size_t size, size_t *program_size, struct fpgacc_text *why);

/* The number of a build as text of 16 digits; gives `name`, of 17 bytes. */
const char *fpgacc_build_name(uint64_t build, char *name);

/* ---- aocx.c --------------------------------------------------------------------------------- */

/* An .aocx in memory, until the process ends. */
struct fpgacc_aocx {
    const unsigned char *data; /* all of the file */
    size_t size;
    size_t program_size; /* of its start, which OpenCL gets */
};

/* A program variant's .aocx; only one that is sealed for it is taken. NULL on failure: the reason,
 * with the paths searched, is added to `why`. */
const struct fpgacc_aocx *fpgacc_aocx(const struct fpgacc_program *variant,
                                      struct fpgacc_text *why);

/* ---- options.c ------------------------------------------------------------------------------ */

/* Options of clBuildProgram, split as a shell does. */
struct fpgacc_options {
    char **words;
    size_t count;
};

int fpgacc_options_parse(struct fpgacc_options *options, const char *text);
void fpgacc_options_free(struct fpgacc_options *options);

/* Whether -cl-std asks for OpenCL C 2.0 or later (with it, groups may be of unequal size). */
int fpgacc_options_nonuniform(const struct fpgacc_options *options);

/* The next folder of an -I option; `at` starts at 0. NULL after the last one. */
const char *fpgacc_options_folder(const struct fpgacc_options *options, size_t *at);

/* How a program that the host asks for relates to a variant. */
enum fpgacc_match {
    FPGACC_DIFFERS,         /* it is another program */
    FPGACC_MATCHES_PERHAPS, /* its headers are not here */
    FPGACC_MATCHES,         /* the variant does what is asked for, and perhaps another one, too */
    FPGACC_MATCHES_EXACTLY
};

/* Compares options but -I with those that a variant was compiled with. `why`, if given, gets the first
 * difference. */
enum fpgacc_match fpgacc_options_match(const struct fpgacc_options *options,
                                       const struct fpgacc_program *variant,
                                       struct fpgacc_text *why);

/* Whether the folders of -I are those that a variant was compiled with, in the same words. */
int fpgacc_folders_agree(const struct fpgacc_options *options,
                         const struct fpgacc_program *variant);

/* ---- headers.c ------------------------------------------------------------------------------ */

/* What clCompileProgram was given for #include's: programs and names of our own. */
struct fpgacc_headers {
    cl_uint count;
    cl_program *programs;
    char **names;
};

/* Compares what the text would include now with what it included when a variant was compiled. `why`,
 * if given, gets the first difference. */
enum fpgacc_match fpgacc_headers_match(const struct fpgacc_options *options,
                                       const struct fpgacc_headers *embedded,
                                       const struct fpgacc_program *variant,
                                       struct fpgacc_text *why);

/* ---- prelude.c ------------------------------------------------------------------------------ */

/* Whether the device's compiler has to round as the text says: FPGACC_PRELUDE is set. */
int fpgacc_is_strict(void);

/* Whether an option lets the compiler join operations, or round otherwise than the text says. */
int fpgacc_is_loose(const char *option);

/* A text without FPGACC_PRELUDE before it. */
const char *fpgacc_after_prelude(const char *text);

/* The device's own functions; they build texts with FPGACC_PRELUDE before them. */
cl_program fpgacc_create_program(cl_context context, cl_uint count, const char **strings,
                                 const size_t *lengths, cl_int *error);
cl_int fpgacc_build_program(cl_program program, cl_uint num_devices, const cl_device_id *devices,
                            const char *options, fpgacc_notify notify, void *user_data);
cl_int fpgacc_compile_program(cl_program program, cl_uint num_devices,
                              const cl_device_id *devices, const char *options,
                              cl_uint num_headers, const cl_program *headers, const char **names,
                              fpgacc_notify notify, void *user_data);

/* ---- source.c ------------------------------------------------------------------------------- */

/* The text of clCreateProgramWithSource in one piece, each string up to its first NUL. NULL if an
 * argument is invalid or memory is short. */
char *fpgacc_source_text(cl_uint count, const char **strings, const size_t *lengths);

/* The same as text_hash in manifest.rs. */
uint64_t fpgacc_source_hash(const char *text);

/* ---- programs.c ----------------------------------------------------------------------------- */

enum fpgacc_state { FPGACC_CREATED, FPGACC_COMPILED, FPGACC_BUILT, FPGACC_FAILED };

/* A program that the host holds. `handle` is a real program in every case, so that a call that
 * does not pass through the runtime is still a valid one. What is behind it is `actual`: the same
 * program, or another one if the options of clBuildProgram asked for another variant or for a
 * build of the original text. */
struct fpgacc_loaded {
    struct fpgacc_node node; /* by handle */
    cl_program handle;
    cl_program actual;
    cl_context context;
    const struct fpgacc_program *variant; /* NULL: the original text */
    const struct fpgacc_program *handle_variant; /* what `handle` itself was loaded from */
    int handle_built;
    int is_known;                         /* its text or binary is in the manifest */
    const char *why_unknown;              /* for the warning at the build */
    const char *remedy;                   /* likewise */
    uint64_t hash;
    char *source; /* NULL: not made from source */
    struct fpgacc_site site;
    enum fpgacc_state state;
    int nonuniform;
    char *options; /* of the latest build */
    char *log;     /* of a build that the runtime refused */
    char *device_log; /* what the device's compiler says of the original; NULL: not asked yet */
    struct fpgacc_headers headers; /* of clCompileProgram */
    cl_uint references;
    cl_uint kernels; /* alive */
};

/* Whether bytes are a program of the manifest's. */
int fpgacc_knows_binary(const unsigned char *data, size_t size);

/* NULL if the program is none that the runtime created or recognised. */
struct fpgacc_loaded *fpgacc_find_program(cl_program program);

/* Frees an entry that has neither references nor kernels; called with the lock held, releases it. */
void fpgacc_unlock_and_collect(struct fpgacc_loaded *loaded);

/* Whether the manifest says which kernels a program has; if not, the device is asked. */
int fpgacc_describes_kernels(const struct fpgacc_loaded *loaded);

/* Registers a program of the host. Takes over `source`. NULL if memory is short. */
struct fpgacc_loaded *fpgacc_add_program(cl_program handle, cl_context context, char *source);

/* Made from the host's own text, for a build by the device's compiler. */
cl_program fpgacc_original_program(const struct fpgacc_loaded *loaded, cl_int *error);

/* What the device's own compiler writes of the original text when it builds it with the options of the latest
 * build, which takes as long as that does. NULL if it has no compiler, refuses the text, or memory is short. */
char *fpgacc_original_log(const struct fpgacc_loaded *loaded, cl_device_id device);

/* Whether every device of a context has a compiler. */
int fpgacc_can_compile(cl_context context);

void fpgacc_free_headers(struct fpgacc_headers *headers);

/* A program object made from a variant's .aocx for all devices of the context; 0 and `error` and
 * `why` if that fails. */
cl_program fpgacc_load_variant(cl_context context, const struct fpgacc_program *variant,
                               cl_int *error, struct fpgacc_text *why);

/* Makes `program` what is behind the handle. */
void fpgacc_set_actual(struct fpgacc_loaded *loaded, cl_program program);

/* ---- svm.c ---------------------------------------------------------------------------------- */

/* An allocation of shared virtual memory. */
struct fpgacc_svm {
    uintptr_t begin;
    size_t size;
};

/* Changes whenever memory is allocated or freed. */
uint64_t fpgacc_svm_generation(void);

/* The allocation that an address lies in; 0: none that clSVMAlloc made. */
int fpgacc_find_svm(uintptr_t address, struct fpgacc_svm *found);

/* ---- kernels.c ------------------------------------------------------------------------------ */

enum fpgacc_argument_kind { FPGACC_UNSET, FPGACC_MEMORY, FPGACC_SVM, FPGACC_OTHER };

/* A part of a buffer, or of the host memory that the buffer uses, or shared virtual memory. */
struct fpgacc_part {
    int is_known;
    cl_mem buffer; /* NULL: shared virtual memory */
    size_t begin;
    size_t size;
    uintptr_t host;     /* 0: memory of the device */
    cl_mem_flags flags; /* of the buffer */
    uint64_t generation; /* of shared virtual memory, when it was asked */
};

struct fpgacc_argument {
    enum fpgacc_argument_kind kind;
    cl_mem memory;
    size_t size;
    uint64_t bits; /* of a value of at most 8 bytes; an address of shared virtual memory */
    /* Of `memory`. A kernel does not keep its memory alive, so that it is the same memory as long as
     * the argument is a valid one. */
    struct fpgacc_part part;
};

/* One of the versions that a kernel was compiled in, and the object that runs it. */
struct fpgacc_version {
    const struct fpgacc_kernel *info;
    cl_kernel handle;
};

/* A kernel of a tracked program. */
struct fpgacc_tracked {
    struct fpgacc_node node; /* by handle */
    cl_kernel handle;
    struct fpgacc_loaded *program;
    const struct fpgacc_kernel *info; /* NULL: not in the manifest */
    int nonuniform;
    cl_uint references;
    /* The first version. If the kernel is one that may only be launched with arguments of the runtime's, its
     * object is not the host's, so that those of the host's stay unset. */
    struct fpgacc_version first;
    struct fpgacc_version *others; /* as many as the manifest has; all get the same arguments */
    size_t alignment; /* of buffers on the context's devices, in bytes; 0: not asked yet */
    int reaches_more; /* shared virtual memory that is no argument (clSetKernelExecInfo) */
    pthread_mutex_t lock; /* held from setting hidden arguments to the end of the launch */
    struct fpgacc_argument arguments[];
};

/* NULL if the kernel is of a program that the runtime does not know. */
struct fpgacc_tracked *fpgacc_find_kernel(cl_kernel kernel);

/* ---- arguments.c ---------------------------------------------------------------------------- */

/* Sets an argument of a kernel with one of the functions that take an address of shared memory. */
typedef cl_int(CL_CALLBACK *fpgacc_set_pointer)(cl_kernel kernel, cl_uint index, const void *value);
struct fpgacc_argument fpgacc_argument_of(const struct fpgacc_param *param, size_t size,
                                          const void *value);
cl_int fpgacc_set_shared(cl_kernel kernel, cl_uint index, const void *value,
                         fpgacc_set_pointer set);

/* ---- geometry.c ----------------------------------------------------------------------------- */

/* A launch's NDRange, with 0, 1, 1 beyond work_dim. */
struct fpgacc_geometry {
    cl_uint work_dim;
    size_t offset[3];
    size_t global[3];
    size_t local[3];
};

/* Fills in the geometry of a launch as the original kernel would have been launched, or gives the
 * error that it would have met. The global size has no zero. */
cl_int fpgacc_geometry_fill(struct fpgacc_geometry *geometry, const struct fpgacc_tracked *kernel,
                            const struct fpgacc_kernel *info, const struct fpgacc_limits *limits,
                            const size_t *offset, const size_t *global, const size_t *local);

/* Fills in the geometry of a launch as the host gives it. 0: no kernel takes it, which is the
 * implementation's to say. */
int fpgacc_geometry_take(struct fpgacc_geometry *geometry, const size_t *offset,
                         const size_t *global, const size_t *local);

/* Gives a launch the local size that was chosen for it, where nothing speaks against that; else 0. `most` is
 * what the implementation says of the kernel's groups. */
int fpgacc_geometry_choose(struct fpgacc_geometry *geometry, const struct fpgacc_tracked *kernel,
                           const struct fpgacc_kernel *info, const struct fpgacc_limits *limits,
                           size_t most, int local_given);

/* Makes a launch's geometry that of the coarsened kernel. Its guards hold. */
void fpgacc_geometry_coarsen(struct fpgacc_geometry *geometry, const struct fpgacc_kernel *info);

void fpgacc_add_sizes(struct fpgacc_text *text, const size_t *sizes, cl_uint count);

/* ---- guards.c, guards_range.c, guards_memory.c, guards_values.c ------------------------------ */

/* A launch by a version of a kernel. Of a single work-item there is always a geometry. */
struct fpgacc_launch {
    struct fpgacc_tracked *kernel;
    const struct fpgacc_kernel *info;
    const struct fpgacc_geometry *geometry; /* NULL: one that no kernel takes */
    int local_given;
};

/* Why a launch is refused: the kernel "was compiled `what`"; "compile again with `help`". */
struct fpgacc_refusal {
    struct fpgacc_text what;
    struct fpgacc_text help;
    int shows_range; /* a note says what NDRange the launch has */
};

/* Checks one guard: CL_SUCCESS if it holds, else the launch's error. Says why in `refusal`, unless that is
 * NULL or the error is what OpenCL answers to a question. */
typedef cl_int fpgacc_check(const struct fpgacc_launch *launch, const struct fpgacc_guard *guard,
                            struct fpgacc_refusal *refusal);
#define FPGACC_CHECK(kind, name) fpgacc_check fpgacc_guard_##name;
FPGACC_GUARDS(FPGACC_CHECK)
#undef FPGACC_CHECK

/* The part of a buffer that an argument is; NULL if that cannot be asked. */
const struct fpgacc_part *fpgacc_part_of(struct fpgacc_argument *argument);

/* Checks all guards of a version, in order, up to the first that does not hold, and reports that one,
 * unless `site` is NULL. Called with the kernel's lock held. */
cl_int fpgacc_check_guards(const struct fpgacc_launch *launch, const struct fpgacc_site *site);

/* ---- launch.c ------------------------------------------------------------------------------- */

/* Sets the hidden arguments of a version for a launch, or several in a row. */
cl_int fpgacc_set_hidden(const struct fpgacc_version *version,
                         const struct fpgacc_geometry *geometry, unsigned steps,
                         const struct fpgacc_site *site);

/* ---- steps.c -------------------------------------------------------------------------------- */

/* Whether some version of a kernel does several launches in a row. */
int fpgacc_has_steps(const struct fpgacc_kernel *info);

/* Around a launch of such a kernel, before its own lock. */
void fpgacc_steps_lock(void);
void fpgacc_steps_unlock(void);

/* Puts a launch off, if that is possible: 1, and `error` is that of launches before it. Called between the two,
 * with the kernel's lock held. */
int fpgacc_put_off(cl_command_queue queue, struct fpgacc_tracked *kernel,
                   const struct fpgacc_version *version, const struct fpgacc_geometry *geometry,
                   cl_int *error);

/* Carries out the launches that were put off. The second is for a caller that holds the lock of this file, and that of
 * a kernel. */
cl_int fpgacc_settle(void);
cl_int fpgacc_settle_locked(const struct fpgacc_tracked *held);

/* The same, before an argument of a kernel is set, unless launches in a row have others there, or the same. */
cl_int fpgacc_settle_argument(struct fpgacc_tracked *kernel, cl_uint index, size_t size,
                              const void *value);

/* How the host waits for its launches. */
enum fpgacc_owed { FPGACC_NOTHING, FPGACC_FLUSH, FPGACC_FINISH };

/* The host waits for what a queue does. Carries out the launches that were put off, unless more are to come. */
cl_int fpgacc_settle_queue(cl_command_queue queue, enum fpgacc_owed owed);

/* Carries out what a loop put off although the host waited, and waits for it. */
void fpgacc_settle_loop(unsigned long long number);

/* ---- steps_loops.c -------------------------------------------------------------------------- */

/* The number of the announced loop that the thread is in; 0: none. */
unsigned long long fpgacc_loop_number(void);

/* A kernel is about to be launched. */
void fpgacc_note_launch(void);

/* Of the thread's loop, if it is that one, the launches are not in a row. */
void fpgacc_note_other(unsigned long long number);

/* Whether the launch that was noted is the last one of a loop in which the host waits. */
int fpgacc_is_last_waited_for(void);

/* The host waits. Whether more launches are to come in the thread's loop, so that these may wait on. */
int fpgacc_goes_on(void);

/* ---- steps_callers.c ------------------------------------------------------------------------ */

/* Whether all calls in this process that matter pass through this runtime. */
int fpgacc_sees_all_calls(void);

/* A host fetched a function by name, which the runtime does not replace. */
void fpgacc_note_lookup(const char *name);

/* ---- record.c ------------------------------------------------------------------------------- */

/* Whether FPGACC_RECORD names a file: what the host reads back from the device and how it launches
 * kernels is then appended to it, for `fpgacc --verify`. */
int fpgacc_recording(void);

/* Bytes in the host's memory: rows in slices, each at a distance from the one before. */
struct fpgacc_region {
    const char *data;
    size_t row;
    size_t rows;
    size_t row_pitch;
    size_t slices;
    size_t slice_pitch;
};

/* A call that reads back. `event` is its own; NULL: it is complete. */
struct fpgacc_readback {
    const char *call;
    const void *caller; /* an address after the call in the host's code */
    cl_mem memory;      /* NULL: shared virtual memory */
    size_t offset;      /* where the region starts in a buffer */
    cl_int error;
    struct fpgacc_region region;
};

/* Records a read-back, now or as soon as it is complete; takes over the event. */
void fpgacc_record_readback(const struct fpgacc_readback *readback, cl_event event);

/* Records the read-backs that are complete: called wherever the host learns of that. */
void fpgacc_record_complete(void);

/* Forgets the read-backs of a mapped region that the host gives back before it could look at it. */
void fpgacc_record_unmapped(const void *data);

/* Numbers a buffer of the host. */
void fpgacc_record_buffer(cl_mem buffer);

/* Notes that a kernel has a buffer as an argument of this type. */
void fpgacc_record_type(cl_mem buffer, const char *type_name);

/* Records a launch and whether the kernel is one that fpgacc compiled, and in which form. */
void fpgacc_record_launch(cl_kernel kernel, const struct fpgacc_kernel *info, cl_int error,
                          const struct fpgacc_site *site);

/* ---- small helpers -------------------------------------------------------------------------- */

/* Answers a clGet*Info question with `size` bytes at `data`. */
cl_int fpgacc_answer(const void *data, size_t data_size, size_t size, void *value,
                     size_t *size_ret);

#endif
