/* Program objects: what the host creates, and the device program that it stands for. */
#include "runtime.h"
#define FPGACC_RUNTIME
#include "fpgacc_rt.h"

#include <stdlib.h>
#include <string.h>

static struct fpgacc_table programs;

struct fpgacc_loaded *fpgacc_find_program(cl_program program)
{
    pthread_mutex_lock(&fpgacc_lock);
    struct fpgacc_loaded *loaded =
        (struct fpgacc_loaded *)fpgacc_table_find(&programs, program);
    pthread_mutex_unlock(&fpgacc_lock);
    return loaded;
}

int fpgacc_describes_kernels(const struct fpgacc_loaded *loaded)
{
    return loaded->variant && !loaded->variant->as_is;
}

struct fpgacc_loaded *fpgacc_add_program(cl_program handle, cl_context context, char *source)
{
    struct fpgacc_loaded *loaded = calloc(1, sizeof *loaded);
    if (!loaded)
        return NULL;
    loaded->node.key = handle;
    loaded->handle = handle;
    loaded->actual = handle;
    loaded->context = context;
    loaded->source = source;
    loaded->references = 1;
    pthread_mutex_lock(&fpgacc_lock);
    fpgacc_table_add(&programs, &loaded->node);
    pthread_mutex_unlock(&fpgacc_lock);
    return loaded;
}

void fpgacc_free_headers(struct fpgacc_headers *headers)
{
    for (cl_uint i = 0; i < headers->count; i++) {
        __real_clReleaseProgram(headers->programs[i]);
        free(headers->names[i]);
    }
    free(headers->programs);
    free(headers->names);
    memset(headers, 0, sizeof *headers);
}

void fpgacc_unlock_and_collect(struct fpgacc_loaded *loaded)
{
    int dead = loaded->references == 0 && loaded->kernels == 0;
    if (dead)
        fpgacc_table_remove(&programs, &loaded->node);
    pthread_mutex_unlock(&fpgacc_lock);
    if (!dead)
        return;
    fpgacc_set_actual(loaded, loaded->handle);
    __real_clReleaseProgram(loaded->handle);
    fpgacc_free_headers(&loaded->headers);
    free(loaded->source);
    free(loaded->options);
    free(loaded->log);
    free(loaded->device_log);
    free(loaded);
}

void fpgacc_set_actual(struct fpgacc_loaded *loaded, cl_program program)
{
    cl_program old = loaded->actual;
    loaded->actual = program;
    if (old != loaded->handle && old != program)
        __real_clReleaseProgram(old);
}

cl_int __wrap_clRetainProgram(cl_program program)
{
    pthread_mutex_lock(&fpgacc_lock);
    struct fpgacc_loaded *loaded =
        (struct fpgacc_loaded *)fpgacc_table_find(&programs, program);
    /* A program that only its kernels kept alive still has one reference of ours. */
    int revived = loaded && loaded->references == 0;
    if (loaded)
        loaded->references++;
    pthread_mutex_unlock(&fpgacc_lock);
    return revived ? CL_SUCCESS : __real_clRetainProgram(program);
}

cl_int __wrap_clReleaseProgram(cl_program program)
{
    pthread_mutex_lock(&fpgacc_lock);
    struct fpgacc_loaded *loaded =
        (struct fpgacc_loaded *)fpgacc_table_find(&programs, program);
    if (loaded && loaded->references == 1) {
        loaded->references = 0;
        fpgacc_unlock_and_collect(loaded);
        return CL_SUCCESS;
    }
    if (loaded && loaded->references == 0) {
        pthread_mutex_unlock(&fpgacc_lock);
        return CL_INVALID_PROGRAM;
    }
    if (loaded)
        loaded->references--;
    pthread_mutex_unlock(&fpgacc_lock);
    return __real_clReleaseProgram(program);
}

static cl_int all_succeeded(const cl_int *status, cl_uint count)
{
    for (cl_uint i = 0; i < count; i++)
        if (status[i] != CL_SUCCESS)
            return status[i];
    return CL_SUCCESS;
}

/* One binary for each of `count` devices. */
static cl_program program_with_binary(cl_context context, const cl_device_id *devices,
                                      cl_uint count, const unsigned char *data, size_t size,
                                      cl_int *error)
{
    size_t *sizes = calloc(count, sizeof *sizes);
    const unsigned char **binaries = calloc(count, sizeof *binaries);
    cl_int *status = calloc(count, sizeof *status);
    cl_program program = NULL;
    *error = CL_OUT_OF_HOST_MEMORY;
    if (sizes && binaries && status) {
        for (cl_uint i = 0; i < count; i++) {
            sizes[i] = size;
            binaries[i] = data;
        }
        program = __real_clCreateProgramWithBinary(context, count, devices, sizes, binaries,
                                                   status, error);
        if (program && all_succeeded(status, count) != CL_SUCCESS) {
            *error = all_succeeded(status, count);
            __real_clReleaseProgram(program);
            program = NULL;
        }
    }
    free(sizes);
    free(binaries);
    free(status);
    return program;
}

cl_program fpgacc_load_variant(cl_context context, const struct fpgacc_program *variant,
                               cl_int *error, struct fpgacc_text *why)
{
    const struct fpgacc_aocx *aocx = fpgacc_aocx(variant, why);
    if (!aocx) {
        *error = CL_INVALID_BINARY;
        return NULL;
    }
    cl_uint count;
    cl_device_id *devices = fpgacc_context_devices(context, &count);
    if (!devices) {
        *error = CL_INVALID_CONTEXT;
        fpgacc_text_add(why, "the context has no devices");
        return NULL;
    }
    cl_program program =
        program_with_binary(context, devices, count, aocx->data, aocx->program_size, error);
    free(devices);
    if (program && variant->as_is)
        fpgacc_trace("%s: loaded %s, with the kernels as they are", variant->name, variant->aocx);
    else if (program)
        fpgacc_trace("%s: loaded %s, %u kernel%s", variant->name, variant->aocx,
                     variant->kernel_count, variant->kernel_count == 1 ? "" : "s");
    else
        fpgacc_text_add(why,
                        "the device does not take %s (%s)\n"
                        "help: compile again with fpgacc: the file is damaged, or made for "
                        "another device or version",
                        variant->aocx, fpgacc_error_name(*error));
    return program;
}

cl_program fpgacc_original_program(const struct fpgacc_loaded *loaded, cl_int *error)
{
    const char *text = loaded->source;
    return fpgacc_create_program(loaded->context, 1, &text, NULL, error);
}

int fpgacc_can_compile(cl_context context)
{
    cl_uint count;
    cl_device_id *devices = fpgacc_context_devices(context, &count);
    int can = devices != NULL;
    for (cl_uint i = 0; i < count; i++)
        can = can && fpgacc_has_compiler(devices[i]);
    free(devices);
    return can;
}

static int context_is_target(cl_context context)
{
    cl_uint count;
    cl_device_id *devices = fpgacc_context_devices(context, &count);
    int is_target = devices != NULL;
    for (cl_uint i = 0; i < count; i++)
        is_target = is_target && fpgacc_is_target_device(devices[i]);
    free(devices);
    return is_target;
}

static const struct fpgacc_program *first_variant(uint64_t hash)
{
    for (uint32_t i = 0; i < fpgacc_manifest.program_count; i++)
        if (fpgacc_manifest.programs[i].source_hash == hash)
            return &fpgacc_manifest.programs[i];
    return NULL;
}

/* Why the device's own compiler is to build a text, and the way out. */
struct unknown {
    const char *why;
    const char *remedy;
};

static int is_blank(const char *text)
{
    return text[strspn(text, " \t\r\n")] == '\0';
}

/* Why a text is not in the manifest. */
static struct unknown unknown_text(const char *text, uint64_t hash)
{
    if (is_blank(text))
        return (struct unknown){
            "this program text is empty (was its file found?)",
            "run the program in the folder from which it finds its kernel files"};
    for (uint32_t i = 0; i < fpgacc_manifest.left_count; i++) {
        const struct fpgacc_left_to_device *left = &fpgacc_manifest.left_to_device[i];
        if (left->source_hash == hash)
            return (struct unknown){left->why, left->remedy};
    }
    return (struct unknown){
        "this program text is none that fpgacc compiled into the executable (has a file changed "
        "since, or does the host compose it?)",
        "compile again after a change; a text that only the running host knows is recorded by "
        "`fpgacc trace`, and then given with --facts"};
}

/* The text is not in the manifest, or the device is not the target's: the host's own call, and a
 * note for the warning when it is built. */
static cl_program create_unknown(const struct fpgacc_site *site, cl_context context,
                                 cl_uint count, const char **strings, const size_t *lengths,
                                 struct unknown unknown, cl_int *error)
{
    cl_program program = fpgacc_create_program(context, count, strings, lengths, error);
    if (!program) {
        fpgacc_report(FPGACC_ERROR, site,
                      "%s, and the device has no compiler for it (%s)\n"
                      "help: %s",
                      unknown.why, fpgacc_error_name(*error), unknown.remedy);
        return NULL;
    }
    struct fpgacc_loaded *loaded = fpgacc_add_program(program, context, NULL);
    if (loaded) {
        loaded->site = *site;
        loaded->why_unknown = unknown.why;
        loaded->remedy = unknown.remedy;
    }
    return program;
}

static cl_program create_known(const struct fpgacc_site *site, cl_context context, char *text,
                               const struct fpgacc_program *variant, cl_int *error)
{
    struct fpgacc_text why = {0};
    cl_program program = fpgacc_load_variant(context, variant, error, &why);
    if (!program)
        fpgacc_report(FPGACC_ERROR, site, "%s: %s", variant->name, why.data ? why.data : "");
    fpgacc_text_free(&why);
    struct fpgacc_loaded *loaded =
        program ? fpgacc_add_program(program, context, text) : NULL;
    if (!loaded) {
        if (program) {
            __real_clReleaseProgram(program);
            *error = CL_OUT_OF_HOST_MEMORY;
        }
        free(text);
        return NULL;
    }
    loaded->site = *site;
    loaded->is_known = 1;
    loaded->hash = variant->source_hash;
    loaded->variant = variant;
    loaded->handle_variant = variant;
    return program;
}

static cl_program create_with_source(const struct fpgacc_site *site, cl_context context,
                                     cl_uint count, const char **strings, const size_t *lengths,
                                     cl_int *errcode_ret)
{
    cl_int error = CL_SUCCESS;
    cl_program program;
    cl_uint context_references;
    char *text = fpgacc_source_text(count, strings, lengths);
    int invalid = !text || clGetContextInfo(context, CL_CONTEXT_REFERENCE_COUNT,
                                            sizeof context_references, &context_references,
                                            NULL) != CL_SUCCESS;
    uint64_t hash = invalid ? 0 : fpgacc_source_hash(text);
    const struct fpgacc_program *variant = invalid ? NULL : first_variant(hash);
    if (invalid || fpgacc_switched_on("FPGACC_ORIGINAL")) {
        program = fpgacc_create_program(context, count, strings, lengths, &error);
        free(text);
    } else if (!variant) {
        program = create_unknown(site, context, count, strings, lengths,
                                 unknown_text(text, hash), &error);
        free(text);
    } else if (!context_is_target(context)) {
        struct unknown unknown = {
            "the device is not the one that the kernels were compiled for",
            "use a device of the platform that fpgacc compiled for, or compile again for this one"};
        program = create_unknown(site, context, count, strings, lengths, unknown, &error);
        free(text);
    } else {
        program = create_known(site, context, text, variant, &error);
    }
    if (errcode_ret)
        *errcode_ret = error;
    return program;
}

cl_program fpgacc_clCreateProgramWithSource(const char *file, int line, cl_context context,
                                            cl_uint count, const char **strings,
                                            const size_t *lengths, cl_int *errcode_ret)
{
    struct fpgacc_site site = {file, line};
    return create_with_source(&site, context, count, strings, lengths, errcode_ret);
}

cl_program __wrap_clCreateProgramWithSource(cl_context context, cl_uint count,
                                            const char **strings, const size_t *lengths,
                                            cl_int *errcode_ret)
{
    struct fpgacc_site nowhere = {NULL, 0};
    return create_with_source(&nowhere, context, count, strings, lengths, errcode_ret);
}

/* ---- binaries that the host brings --------------------------------------------------------- */

/* Whether bytes are a variant's own .aocx, which has no seal. */
static int is_unsealed_aocx(const struct fpgacc_program *variant, const unsigned char *data,
                            size_t size)
{
    if (variant->is_sealed)
        return 0;
    struct fpgacc_text ignored = {0};
    const struct fpgacc_aocx *own = fpgacc_aocx(variant, &ignored);
    fpgacc_text_free(&ignored);
    return own && own->size == size && memcmp(own->data, data, size) == 0;
}

/* The variant that a binary is a program of: by its seal, or else by its bytes. */
static const struct fpgacc_program *variant_of_binary(const struct fpgacc_seal *seal,
                                                      int is_sealed, const unsigned char *data,
                                                      size_t size)
{
    for (uint32_t i = 0; i < fpgacc_manifest.program_count; i++) {
        const struct fpgacc_program *variant = &fpgacc_manifest.programs[i];
        if (is_sealed ? variant->is_sealed && variant->build == seal->build
                      : is_unsealed_aocx(variant, data, size))
            return variant;
    }
    return NULL;
}

int fpgacc_knows_binary(const unsigned char *data, size_t size)
{
    struct fpgacc_seal seal = {0};
    int is_sealed = fpgacc_seal_read(&seal, data, size);
    return variant_of_binary(&seal, is_sealed, data, size) != NULL;
}

/* What the host passes to clCreateProgramWithBinary, as OpenCL gets it. */
struct binaries {
    size_t *sizes;                        /* without seals */
    const struct fpgacc_program *variant; /* NULL: none of ours, or not of one variant */
    cl_uint refused;                      /* how many are of no build of this executable */
};

/* A kernel of another build, launched as this build's contract says, would compute something else. */
static int is_refused(const struct fpgacc_seal *seal, const struct fpgacc_program *variant)
{
    struct fpgacc_site nowhere = {NULL, 0};
    char name[17];
    if (variant && seal->is_whole)
        return 0;
    fpgacc_report(FPGACC_WARNING, &nowhere,
                  "the binary that the host loads is %s build %s of '%.*s'%s (CL_INVALID_BINARY)\n"
                  "help: remove the file in which the host keeps it; hosts build the text again "
                  "then",
                  seal->is_whole ? "of" : "a damaged copy of",
                  fpgacc_build_name(seal->build, name), seal->label_size,
                  seal->label ? seal->label : "",
                  seal->is_whole ? ", not of the build that this executable was linked with" : "");
    return 1;
}

/* Looks through the seals; 0 without memory. `status` may be NULL. */
static int read_binaries(struct binaries *binaries, cl_uint count, const size_t *lengths,
                         const unsigned char **data, cl_int *status)
{
    memset(binaries, 0, sizeof *binaries);
    binaries->sizes = calloc(count, sizeof *binaries->sizes);
    for (cl_uint i = 0; binaries->sizes && i < count; i++) {
        struct fpgacc_seal seal = {0};
        int is_sealed = data[i] && fpgacc_seal_read(&seal, data[i], lengths[i]);
        const struct fpgacc_program *variant =
            data[i] ? variant_of_binary(&seal, is_sealed, data[i], lengths[i]) : NULL;
        int refused = is_sealed && is_refused(&seal, variant);
        binaries->sizes[i] = is_sealed ? seal.program_size : lengths[i];
        binaries->refused += (cl_uint)refused;
        if (i == 0 || binaries->variant == variant)
            binaries->variant = variant;
        else
            binaries->variant = NULL;
        if (status)
            status[i] = refused ? CL_INVALID_BINARY : CL_SUCCESS;
    }
    return binaries->sizes != NULL;
}

static cl_program create_with_binary(cl_context context, cl_uint num_devices,
                                     const cl_device_id *devices, const size_t *lengths,
                                     const unsigned char **data, cl_int *status, cl_int *error)
{
    struct binaries binaries;
    if (!read_binaries(&binaries, num_devices, lengths, data, status)) {
        *error = CL_OUT_OF_HOST_MEMORY;
        return NULL;
    }
    cl_program program = NULL;
    *error = CL_INVALID_BINARY;
    if (binaries.refused == 0)
        program = __real_clCreateProgramWithBinary(context, num_devices, devices, binaries.sizes,
                                                   data, status, error);
    free(binaries.sizes);
    struct fpgacc_loaded *loaded =
        program && binaries.variant ? fpgacc_add_program(program, context, NULL) : NULL;
    if (loaded) {
        loaded->is_known = 1;
        loaded->hash = binaries.variant->source_hash;
        loaded->variant = binaries.variant;
        loaded->handle_variant = binaries.variant;
        fpgacc_trace("%s: the host loaded %s", loaded->variant->name, loaded->variant->aocx);
    }
    return program;
}

cl_program __wrap_clCreateProgramWithBinary(cl_context context, cl_uint num_devices,
                                            const cl_device_id *devices, const size_t *lengths,
                                            const unsigned char **binaries, cl_int *status,
                                            cl_int *errcode_ret)
{
    cl_int error = CL_SUCCESS;
    cl_program program;
    if (num_devices == 0 || !lengths || !binaries)
        program = __real_clCreateProgramWithBinary(context, num_devices, devices, lengths,
                                                   binaries, status, &error);
    else
        program = create_with_binary(context, num_devices, devices, lengths, binaries, status,
                                     &error);
    if (errcode_ret)
        *errcode_ret = error;
    return program;
}
