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

/* What follows a comment; NULL if there is none here, or it does not end. */
static const char *after_comment(const char *text)
{
    if (text[0] == '/' && text[1] == '*') {
        const char *end = strstr(text + 2, "*/");
        return end ? end + 2 : NULL;
    }
    if (text[0] != '/' || text[1] != '/')
        return NULL;
    char last = 0;
    for (; *text && (*text != '\n' || last == '\\'); text++)
        if (*text != '\r')
            last = *text;
    return text;
}

/* Whether a text may tell how many lines stand before another: itself, or by a macro of a header. */
static int tells_lines(const char *text)
{
    return strstr(text, "__LINE__") || strstr(text, "include");
}

/* Without the comments that it begins with. */
static const char *without_preamble(const char *text)
{
    for (;;) {
        while (is_space(*text))
            text++;
        const char *after = after_comment(text);
        if (!after)
            return text;
        text = after;
    }
}

static uint64_t with_byte(uint64_t hash, char byte)
{
    return (hash ^ (unsigned char)byte) * 0x100000001b3u;
}

uint64_t fpgacc_source_hash(const char *text)
{
    const char *rest = without_preamble(text);
    uint64_t hash = 0xcbf29ce484222325u;
    for (int tells = tells_lines(text); tells && text < rest; text++)
        if (*text == '\n')
            hash = with_byte(hash, '\n');
    size_t length = strlen(rest);
    while (length > 0 && is_space(rest[length - 1]))
        length--;
    for (size_t i = 0; i < length; i++)
        if (rest[i] != '\r')
            hash = with_byte(hash, rest[i]);
    return hash;
}
