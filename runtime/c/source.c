/* The text that a host passes to clCreateProgramWithSource. */
#include "runtime.h"

#include <stdlib.h>
#include <string.h>

static size_t piece_length(const char *string, const size_t *lengths, cl_uint i)
{
    if (!lengths || lengths[i] == 0)
        return strlen(string);
    const char *end = memchr(string, '\0', lengths[i]);
    return end ? (size_t)(end - string) : lengths[i];
}

char *fpgacc_source_text(cl_uint count, const char **strings, const size_t *lengths)
{
    if (count == 0 || !strings)
        return NULL;
    struct fpgacc_text text = {0};
    for (cl_uint i = 0; i < count; i++) {
        if (!strings[i]) {
            fpgacc_text_free(&text);
            return NULL;
        }
        fpgacc_text_add_bytes(&text, strings[i], piece_length(strings[i], lengths, i));
    }
    return text.data;
}

static int is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\f' || c == '\r';
}

uint64_t fpgacc_source_hash(const char *text)
{
    size_t length = strlen(text);
    while (length > 0 && is_space(text[length - 1]))
        length--;
    uint64_t hash = 0xcbf29ce484222325u;
    for (size_t i = 0; i < length; i++)
        if (text[i] != '\r')
            hash = (hash ^ (unsigned char)text[i]) * 0x100000001b3u;
    return hash;
}
