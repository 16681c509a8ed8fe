/* clBuildProgram, clCompileProgram and clLinkProgram. */
#include "runtime.h"
#define FPGACC_RUNTIME
#include "fpgacc_rt.h"

#include <stdlib.h>
#include <string.h>

static void replace_string(char **string, const char *value)
{
    free(*string);
    *string = value ? strdup(value) : NULL;
}

/* What every build function refuses by itself, before it looks at the program. */
static cl_int check_build(const struct fpgacc_loaded *loaded, cl_uint num_devices,
                          const cl_device_id *devices, fpgacc_notify notify,
                          const void *user_data)
{
    if ((num_devices == 0) != (devices == NULL) || (!notify && user_data))
        return CL_INVALID_VALUE;
    cl_uint count;
    cl_device_id *own = fpgacc_context_devices(loaded->context, &count);
    cl_int error = CL_SUCCESS;
    for (cl_uint i = 0; i < num_devices && error == CL_SUCCESS; i++) {
        cl_uint at = 0;
        while (at < count && own[at] != devices[i])
            at++;
        if (at == count)
            error = CL_INVALID_DEVICE;
    }
    free(own);
    return error == CL_SUCCESS && loaded->kernels > 0 ? CL_INVALID_OPERATION : error;
}

/* Why no variant is what the host asks for. */
struct reasons {
    struct fpgacc_text options; /* the first difference in options */
    struct fpgacc_text headers; /* the first one where the options agree */
    unsigned unknown;           /* variants of which nobody knows */
};

/* How what the host asks for relates to a variant of its text. */
static enum fpgacc_match match_variant(const struct fpgacc_loaded *loaded,
                                       const struct fpgacc_options *options,
                                       const struct fpgacc_program *variant,
                                       struct reasons *reasons)
{
    struct fpgacc_text *why = reasons->options.data ? NULL : &reasons->options;
    enum fpgacc_match by_options = fpgacc_options_match(options, variant, why);
    if (by_options == FPGACC_DIFFERS)
        return FPGACC_DIFFERS;
    why = reasons->headers.data ? NULL : &reasons->headers;
    enum fpgacc_match by_headers =
        fpgacc_headers_match(options, &loaded->headers, variant, why);
    /* Headers that are not here are those of the variant if the folders are the variant's. */
    int same_folders = variant->header_count == 0 || fpgacc_folders_agree(options, variant);
    if (by_headers == FPGACC_DIFFERS ||
        (by_headers == FPGACC_MATCHES_PERHAPS && !same_folders))
        return by_headers;
    return same_folders ? by_options : FPGACC_MATCHES;
}

/* The variant of the program's text that is what the host asks for. */
static const struct fpgacc_program *matching_variant(const struct fpgacc_loaded *loaded,
                                                     const struct fpgacc_options *options,
                                                     struct reasons *reasons)
{
    /* A binary is what it is, whatever the options say. */
    if (!loaded->source)
        return loaded->variant;
    const struct fpgacc_program *best = NULL;
    enum fpgacc_match best_match = FPGACC_DIFFERS;
    for (uint32_t i = 0; i < fpgacc_manifest.program_count; i++) {
        const struct fpgacc_program *variant = &fpgacc_manifest.programs[i];
        if (variant->source_hash != loaded->hash)
            continue;
        enum fpgacc_match match = match_variant(loaded, options, variant, reasons);
        if (match > best_match) {
            best = variant;
            best_match = match;
        }
        reasons->unknown += match == FPGACC_MATCHES_PERHAPS;
    }
    return best_match > FPGACC_MATCHES_PERHAPS || reasons->unknown < 2 ? best : NULL;
}

/* The reason for messages. */
static const char *main_reason(const struct reasons *reasons)
{
    if (reasons->unknown > 1)
        return "which compiled program this is cannot be known: its headers are not here";
    if (reasons->headers.data)
        return reasons->headers.data;
    return reasons->options.data ? reasons->options.data : "unknown options";
}

/* Puts the variant behind the handle. */
static cl_int use_variant(struct fpgacc_loaded *loaded, const struct fpgacc_site *site,
                          const struct fpgacc_program *variant)
{
    if (variant == loaded->handle_variant) {
        fpgacc_set_actual(loaded, loaded->handle);
        loaded->variant = variant;
        return CL_SUCCESS;
    }
    struct fpgacc_text why = {0};
    cl_int error = CL_SUCCESS;
    cl_program program = fpgacc_load_variant(loaded->context, variant, &error, &why);
    if (program) {
        fpgacc_set_actual(loaded, program);
        loaded->variant = variant;
    } else {
        fpgacc_report(FPGACC_ERROR, site, "%s: %s", variant->name, why.data ? why.data : "");
        replace_string(&loaded->log, why.data);
    }
    fpgacc_text_free(&why);
    return error;
}

#define RECOMPILE                                                                                  \
    "help: compile again with fpgacc; options that it cannot see in the host are given with "      \
    "-Xkernel or -D"

/* Puts the original text behind the handle, for the device's own compiler. */
static cl_int use_original(struct fpgacc_loaded *loaded, const struct fpgacc_site *site,
                           const char *why)
{
    if (!fpgacc_can_compile(loaded->context)) {
        fpgacc_report(FPGACC_ERROR, site,
                      "%s, and the device has no compiler (CL_COMPILER_NOT_AVAILABLE)\n" RECOMPILE,
                      why);
        replace_string(&loaded->log, why);
        return CL_COMPILER_NOT_AVAILABLE;
    }
    cl_int error = CL_SUCCESS;
    cl_program program = fpgacc_original_program(loaded, &error);
    if (!program)
        return error;
    fpgacc_report(FPGACC_WARNING, site,
                  "%s: the device's own compiler builds the original text, and none of its "
                  "kernels is transformed\n" RECOMPILE,
                  why);
    fpgacc_set_actual(loaded, program);
    loaded->variant = NULL;
    return CL_SUCCESS;
}

/* Decides from the options what is behind the handle. */
static cl_int choose(struct fpgacc_loaded *loaded, const struct fpgacc_site *site,
                     const char *text)
{
    struct fpgacc_options options;
    if (!fpgacc_options_parse(&options, text))
        return CL_OUT_OF_HOST_MEMORY;
    struct reasons reasons = {0};
    loaded->nonuniform = fpgacc_options_nonuniform(&options);
    replace_string(&loaded->options, text);
    replace_string(&loaded->log, NULL);
    replace_string(&loaded->device_log, NULL);
    const struct fpgacc_program *variant = matching_variant(loaded, &options, &reasons);
    cl_int error = variant ? use_variant(loaded, site, variant)
                           : use_original(loaded, site, main_reason(&reasons));
    fpgacc_text_free(&reasons.options);
    fpgacc_text_free(&reasons.headers);
    fpgacc_options_free(&options);
    loaded->state = error == CL_SUCCESS ? FPGACC_CREATED : FPGACC_FAILED;
    return error;
}

/* Builds a variant once: a second build of a binary is nothing new, and some implementations do
 * not survive it. */
static cl_int build_variant(struct fpgacc_loaded *loaded)
{
    int is_handle = loaded->actual == loaded->handle;
    if (is_handle && loaded->handle_built)
        return CL_SUCCESS;
    cl_int error = __real_clBuildProgram(loaded->actual, 0, NULL, NULL, NULL, NULL);
    if (is_handle && error == CL_SUCCESS)
        loaded->handle_built = 1;
    return error;
}

/* A known program: always built before the call returns, as the standard allows, so that the
 * program which the callback gets is the host's own. */
static cl_int build_known(struct fpgacc_loaded *loaded, const struct fpgacc_site *site,
                          cl_uint num_devices, const cl_device_id *devices, const char *options,
                          fpgacc_notify notify, void *user_data)
{
    cl_int error = check_build(loaded, num_devices, devices, notify, user_data);
    if (error == CL_SUCCESS)
        error = choose(loaded, site, options);
    if (error != CL_SUCCESS)
        return error;
    if (loaded->variant)
        error = build_variant(loaded);
    else
        error = fpgacc_build_program(loaded->actual, num_devices, devices, options, NULL, NULL);
    loaded->state = error == CL_SUCCESS ? FPGACC_BUILT : FPGACC_FAILED;
    if (notify)
        notify(loaded->handle, user_data);
    return error;
}

/* Warns that an unknown text is built as it is; the error if it cannot be. */
static cl_int announce_unknown(const struct fpgacc_loaded *loaded)
{
    if (!fpgacc_can_compile(loaded->context)) {
        fpgacc_report(FPGACC_ERROR, &loaded->site,
                      "%s, and the device has no compiler (CL_COMPILER_NOT_AVAILABLE)\n"
                      "help: %s",
                      loaded->why_unknown, loaded->remedy);
        return CL_COMPILER_NOT_AVAILABLE;
    }
    fpgacc_report(FPGACC_WARNING, &loaded->site,
                  "%s: the device's own compiler builds it, and none of its kernels is "
                  "transformed\nhelp: %s",
                  loaded->why_unknown, loaded->remedy);
    return CL_SUCCESS;
}

static cl_int build(const struct fpgacc_site *site, cl_program program, cl_uint num_devices,
                    const cl_device_id *devices, const char *options, fpgacc_notify notify,
                    void *user_data)
{
    struct fpgacc_loaded *loaded = fpgacc_find_program(program);
    if (loaded && loaded->is_known)
        return build_known(loaded, site, num_devices, devices, options, notify, user_data);
    cl_int error = loaded ? announce_unknown(loaded) : CL_SUCCESS;
    if (error != CL_SUCCESS)
        return error;
    return fpgacc_build_program(program, num_devices, devices, options, notify, user_data);
}

cl_int fpgacc_clBuildProgram(const char *file, int line, cl_program program, cl_uint num_devices,
                             const cl_device_id *devices, const char *options,
                             void (*notify)(cl_program, void *), void *user_data)
{
    struct fpgacc_site site = {file, line};
    return build(&site, program, num_devices, devices, options, notify, user_data);
}

cl_int __wrap_clBuildProgram(cl_program program, cl_uint num_devices, const cl_device_id *devices,
                             const char *options, fpgacc_notify notify, void *user_data)
{
    struct fpgacc_loaded *loaded = fpgacc_find_program(program);
    struct fpgacc_site site = {NULL, 0};
    /* Better the place where the program was created than none. */
    if (loaded)
        site = loaded->site;
    return build(&site, program, num_devices, devices, options, notify, user_data);
}

/* The program as the device's own compiler needs it, with a reference for the caller. */
static cl_program as_source(cl_program program, cl_int *error)
{
    struct fpgacc_loaded *loaded = fpgacc_find_program(program);
    if (loaded && loaded->is_known && loaded->source)
        return fpgacc_original_program(loaded, error);
    *error = __real_clRetainProgram(program);
    return *error == CL_SUCCESS ? program : NULL;
}

static cl_int keep_headers(struct fpgacc_headers *kept, cl_uint count, const cl_program *headers,
                           const char **names)
{
    fpgacc_free_headers(kept);
    if ((count == 0) != (headers == NULL) || (headers == NULL) != (names == NULL))
        return CL_INVALID_VALUE;
    if (count == 0)
        return CL_SUCCESS;
    kept->programs = calloc(count, sizeof *kept->programs);
    kept->names = calloc(count, sizeof *kept->names);
    cl_int error = kept->programs && kept->names ? CL_SUCCESS : CL_OUT_OF_HOST_MEMORY;
    for (cl_uint i = 0; i < count && error == CL_SUCCESS; i++) {
        kept->programs[i] = as_source(headers[i], &error);
        kept->names[i] = error == CL_SUCCESS ? strdup(names[i]) : NULL;
        if (error == CL_SUCCESS)
            kept->count++;
    }
    return error;
}

static cl_int compile_original(const struct fpgacc_loaded *loaded, cl_program program,
                               cl_uint num_devices, const cl_device_id *devices)
{
    const struct fpgacc_headers *headers = &loaded->headers;
    return fpgacc_compile_program(program, num_devices, devices, loaded->options, headers->count,
                                  headers->programs, (const char **)headers->names, NULL, NULL);
}

static char *build_log(cl_program program, cl_device_id device)
{
    size_t size = 0;
    cl_int error = __real_clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, 0, NULL,
                                                &size);
    char *log = error == CL_SUCCESS ? calloc(1, size + 1) : NULL;
    if (log && __real_clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, size, log,
                                            NULL) != CL_SUCCESS) {
        free(log);
        log = NULL;
    }
    return log;
}

char *fpgacc_original_log(const struct fpgacc_loaded *loaded, cl_device_id device)
{
    cl_int error = CL_SUCCESS;
    if (!loaded->source || !fpgacc_can_compile(loaded->context))
        return NULL;
    cl_program program = fpgacc_original_program(loaded, &error);
    if (!program)
        return NULL;
    if (loaded->state == FPGACC_COMPILED)
        error = compile_original(loaded, program, 1, &device);
    else
        error = fpgacc_build_program(program, 1, &device, loaded->options, NULL, NULL);
    char *log = error == CL_SUCCESS ? build_log(program, device) : NULL;
    __real_clReleaseProgram(program);
    return log;
}

cl_int __wrap_clCompileProgram(cl_program program, cl_uint num_devices,
                               const cl_device_id *devices, const char *options,
                               cl_uint num_headers, const cl_program *headers,
                               const char **header_names, fpgacc_notify notify, void *user_data)
{
    struct fpgacc_loaded *loaded = fpgacc_find_program(program);
    if (!__real_clCompileProgram)
        return CL_INVALID_OPERATION;
    if (!loaded || !loaded->is_known || !loaded->source) {
        cl_int error = loaded && !loaded->is_known ? announce_unknown(loaded) : CL_SUCCESS;
        if (error != CL_SUCCESS)
            return error;
        return fpgacc_compile_program(program, num_devices, devices, options, num_headers,
                                      headers, header_names, notify, user_data);
    }
    cl_int error = check_build(loaded, num_devices, devices, notify, user_data);
    if (error == CL_SUCCESS)
        error = keep_headers(&loaded->headers, num_headers, headers, header_names);
    if (error == CL_SUCCESS)
        error = choose(loaded, &loaded->site, options);
    if (error != CL_SUCCESS)
        return error;
    if (!loaded->variant)
        error = compile_original(loaded, loaded->actual, num_devices, devices);
    loaded->state = error == CL_SUCCESS ? FPGACC_COMPILED : FPGACC_FAILED;
    if (notify)
        notify(program, user_data);
    return error;
}

/* One compiled program of ours: its .aocx is linked already. */
static cl_program link_variant(cl_context context, const struct fpgacc_loaded *input,
                               const char *options, cl_int *error)
{
    struct fpgacc_text why = {0};
    cl_program program = fpgacc_load_variant(context, input->variant, error, &why);
    if (!program)
        fpgacc_report(FPGACC_ERROR, &input->site, "%s: %s", input->variant->name,
                      why.data ? why.data : "");
    fpgacc_text_free(&why);
    struct fpgacc_loaded *loaded =
        program ? fpgacc_add_program(program, context, NULL) : NULL;
    if (!loaded) {
        if (program) {
            __real_clReleaseProgram(program);
            *error = CL_OUT_OF_HOST_MEMORY;
        }
        return NULL;
    }
    loaded->is_known = 1;
    loaded->hash = input->hash;
    loaded->variant = input->variant;
    loaded->handle_variant = input->variant;
    loaded->nonuniform = input->nonuniform;
    loaded->site = input->site;
    replace_string(&loaded->options, options);
    *error = build_variant(loaded);
    loaded->state = *error == CL_SUCCESS ? FPGACC_BUILT : FPGACC_FAILED;
    return program;
}

/* An input of a link by the device's own linker, with a reference for the caller. */
static cl_program link_input(cl_program program, cl_uint num_devices,
                             const cl_device_id *devices, cl_int *error)
{
    struct fpgacc_loaded *loaded = fpgacc_find_program(program);
    if (!loaded || !loaded->is_known || !loaded->source || !loaded->variant) {
        cl_program actual = loaded ? loaded->actual : program;
        *error = __real_clRetainProgram(actual);
        return *error == CL_SUCCESS ? actual : NULL;
    }
    if (!fpgacc_can_compile(loaded->context)) {
        *error = CL_COMPILER_NOT_AVAILABLE;
        fpgacc_report(FPGACC_ERROR, &loaded->site,
                      "%s is linked with other programs at run time, and the device has no "
                      "compiler (CL_COMPILER_NOT_AVAILABLE)\n"
                      "help: put these texts into one program",
                      loaded->variant->name);
        return NULL;
    }
    fpgacc_report(FPGACC_WARNING, &loaded->site,
                  "%s is linked with other programs at run time: the device's own compiler builds "
                  "the original text, and none of its kernels is transformed\n"
                  "help: put these texts into one program",
                  loaded->variant->name);
    cl_program original = fpgacc_original_program(loaded, error);
    if (original)
        *error = compile_original(loaded, original, num_devices, devices);
    return original;
}

static cl_program link_originals(cl_context context, cl_uint num_devices,
                                 const cl_device_id *devices, const char *options,
                                 cl_uint count, const cl_program *programs, cl_int *error)
{
    cl_program *inputs = calloc(count ? count : 1, sizeof *inputs);
    cl_program linked = NULL;
    *error = inputs ? CL_SUCCESS : CL_OUT_OF_HOST_MEMORY;
    for (cl_uint i = 0; i < count && *error == CL_SUCCESS; i++)
        inputs[i] = link_input(programs[i], num_devices, devices, error);
    if (*error == CL_SUCCESS)
        linked = __real_clLinkProgram(context, num_devices, devices, options, count, inputs, NULL,
                                      NULL, error);
    for (cl_uint i = 0; inputs && i < count; i++)
        if (inputs[i])
            __real_clReleaseProgram(inputs[i]);
    free(inputs);
    return linked;
}

cl_program __wrap_clLinkProgram(cl_context context, cl_uint num_devices,
                                const cl_device_id *devices, const char *options,
                                cl_uint num_programs, const cl_program *programs,
                                fpgacc_notify notify, void *user_data, cl_int *errcode_ret)
{
    cl_int error = CL_SUCCESS;
    cl_program linked = NULL;
    struct fpgacc_loaded *first =
        num_programs == 1 && programs ? fpgacc_find_program(programs[0]) : NULL;
    int is_library = options && strstr(options, "-create-library") != NULL;
    if (!__real_clLinkProgram)
        error = CL_INVALID_OPERATION;
    else if (!programs || (!notify && user_data))
        error = CL_INVALID_VALUE;
    else if (first && first->is_known && first->variant && first->state == FPGACC_CREATED)
        error = CL_INVALID_OPERATION;
    else if (first && first->is_known && first->variant && !is_library)
        linked = link_variant(context, first, options, &error);
    else
        linked = link_originals(context, num_devices, devices, options, num_programs, programs,
                                &error);
    if (errcode_ret)
        *errcode_ret = error;
    if (linked && notify)
        notify(linked, user_data);
    return linked;
}
