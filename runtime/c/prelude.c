/* Texts that the device's own compiler builds with FPGACC_PRELUDE before them: it takes liberties in
 * rounding from the compiler, so that `fpgacc --verify` can distinguish such differences from others. The
 * driver puts the same before the texts that it builds. With FPGACC_UNOPTIMISED that compiler does not
 * optimise, so that faults of its optimiser can be told from those of kernels. */
#include "runtime.h"

#include <stdlib.h>
#include <string.h>

/* Options that let the compiler round otherwise than the text says. */
static const char *const loose[] = {"-cl-mad-enable", "-cl-unsafe-math-optimizations",
                                    "-cl-fast-relaxed-math"};

static const char *prelude(void)
{
    return fpgacc_environment("FPGACC_PRELUDE");
}

int fpgacc_is_strict(void)
{
    return prelude() != NULL;
}

int fpgacc_is_loose(const char *option)
{
    for (size_t i = 0; i < sizeof loose / sizeof *loose; i++)
        if (strcmp(option, loose[i]) == 0)
            return 1;
    return 0;
}

const char *fpgacc_after_prelude(const char *text)
{
    const char *before = prelude();
    size_t length = before ? strlen(before) : 0;
    return length && strncmp(text, before, length) == 0 ? text + length : text;
}

cl_program fpgacc_create_program(cl_context context, cl_uint count, const char **strings,
                                 const size_t *lengths, cl_int *error)
{
    if (!fpgacc_is_strict() || count == 0 || !strings)
        return __real_clCreateProgramWithSource(context, count, strings, lengths, error);
    const char **texts = calloc(count + 1, sizeof *texts);
    size_t *sizes = calloc(count + 1, sizeof *sizes);
    cl_program program = NULL;
    *error = CL_OUT_OF_HOST_MEMORY;
    if (texts && sizes) {
        texts[0] = prelude();
        memcpy(texts + 1, strings, count * sizeof *texts);
        if (lengths)
            memcpy(sizes + 1, lengths, count * sizeof *sizes);
        program = __real_clCreateProgramWithSource(context, count + 1, texts, sizes, error);
    }
    free(texts);
    free(sizes);
    return program;
}

static int is_end(char c)
{
    return c == '\0' || c == ' ' || c == '\t';
}

/* Puts blanks where a word stands. */
static void erase(char *options, const char *word)
{
    size_t length = strlen(word);
    for (char *at = strstr(options, word); at; at = strstr(at + length, word))
        if ((at == options || is_end(at[-1])) && is_end(at[length]))
            memset(at, ' ', length);
}

/* Whether the device's compiler is not to optimise. */
static int is_unoptimised(void)
{
    return fpgacc_environment("FPGACC_UNOPTIMISED") != NULL;
}

/* A copy for the device's compiler; NULL where that gets the host's own, or without memory. */
static char *changed(const char *options)
{
    static const char off[] = " -cl-opt-disable";
    if (!fpgacc_is_strict() && !is_unoptimised())
        return NULL;
    const char *given = options ? options : "";
    char *copy = malloc(strlen(given) + sizeof off);
    if (!copy)
        return NULL;
    strcpy(copy, given);
    for (size_t i = 0; fpgacc_is_strict() && i < sizeof loose / sizeof *loose; i++)
        erase(copy, loose[i]);
    if (is_unoptimised())
        strcat(copy, off);
    return copy;
}

cl_int fpgacc_build_program(cl_program program, cl_uint num_devices, const cl_device_id *devices,
                            const char *options, fpgacc_notify notify, void *user_data)
{
    char *own = changed(options);
    cl_int error = __real_clBuildProgram(program, num_devices, devices, own ? own : options,
                                         notify, user_data);
    free(own);
    return error;
}

cl_int fpgacc_compile_program(cl_program program, cl_uint num_devices,
                              const cl_device_id *devices, const char *options,
                              cl_uint num_headers, const cl_program *headers, const char **names,
                              fpgacc_notify notify, void *user_data)
{
    char *own = changed(options);
    cl_int error = __real_clCompileProgram(program, num_devices, devices, own ? own : options,
                                           num_headers, headers, names, notify, user_data);
    free(own);
    return error;
}
