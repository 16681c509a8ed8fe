/* What a program's text includes when the host builds it, against what it included when it was
 * compiled: headers may have been written, changed or passed to clCompileProgram since. */
#include "runtime.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- reading -------------------------------------------------------------------------------- */

/* A file's text, to free; NULL if there is none. */
static char *read_file(const char *path)
{
    FILE *file = fopen(path, "rb");
    if (!file)
        return NULL;
    struct fpgacc_text text = {0};
    char buffer[4096];
    size_t length;
    fpgacc_text_add_bytes(&text, "", 0);
    while ((length = fread(buffer, 1, sizeof buffer, file)) > 0)
        fpgacc_text_add_bytes(&text, buffer, length);
    int failed = ferror(file);
    fclose(file);
    if (!failed)
        return text.data;
    fpgacc_text_free(&text);
    return NULL;
}

static char *read_in(const char *folder, const char *name)
{
    struct fpgacc_text path = {0};
    fpgacc_text_add(&path, "%s/%s", folder, name);
    char *text = path.data ? read_file(path.data) : NULL;
    fpgacc_text_free(&path);
    return text;
}

/* The text of a program made from source, to free. */
static char *text_of(cl_program program)
{
    size_t size = 0;
    char *text = NULL;
    if (__real_clGetProgramInfo(program, CL_PROGRAM_SOURCE, 0, NULL, &size) == CL_SUCCESS && size)
        text = calloc(1, size + 1);
    if (text && __real_clGetProgramInfo(program, CL_PROGRAM_SOURCE, size, text, NULL) == CL_SUCCESS)
        return text;
    free(text);
    return NULL;
}

static char *read_embedded(const struct fpgacc_headers *embedded, const char *name)
{
    for (cl_uint i = 0; i < embedded->count; i++)
        if (strcmp(embedded->names[i], name) == 0)
            return text_of(embedded->programs[i]);
    return NULL;
}

/* What the compiler would find under a name now: among the embedded headers, beside the text (which
 * has no folder but the process' own), in the folders of -I. */
static char *find(const struct fpgacc_options *options, const struct fpgacc_headers *embedded,
                  const struct fpgacc_header *header)
{
    char *text = read_embedded(embedded, header->name);
    if (text || header->name[0] == '/')
        return text ? text : read_file(header->name);
    if (header->quoted)
        text = read_file(header->name);
    const char *folder;
    for (size_t at = 0; !text && (folder = fpgacc_options_folder(options, &at));)
        text = read_in(folder, header->name);
    return text;
}

/* --------------------------------------------------------------------------------------------- */

enum fpgacc_match fpgacc_headers_match(const struct fpgacc_options *options,
                                       const struct fpgacc_headers *embedded,
                                       const struct fpgacc_program *variant,
                                       struct fpgacc_text *why)
{
    enum fpgacc_match match = FPGACC_MATCHES_EXACTLY;
    for (uint32_t i = 0; i < variant->header_count; i++) {
        const struct fpgacc_header *header = &variant->headers[i];
        char *text = find(options, embedded, header);
        uint64_t hash = text ? fpgacc_source_hash(fpgacc_after_prelude(text)) : 0;
        int exists = text != NULL;
        free(text);
        if (!exists && header->exists)
            match = FPGACC_MATCHES_PERHAPS;
        if (!exists || (header->exists && hash == header->hash))
            continue;
        if (why)
            fpgacc_text_add(why, "'%s' is not the header that %s was compiled with", header->name,
                            variant->aocx);
        return FPGACC_DIFFERS;
    }
    return match;
}
