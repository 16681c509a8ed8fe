/* The options of clBuildProgram. */
#include "runtime.h"

#include <stdlib.h>
#include <string.h>

static int is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' || c == '\v';
}

/* Takes one word off `rest`: quotes are removed, blanks inside them stay. */
static char *next_word(const char **rest)
{
    const char *in = *rest;
    char *word = malloc(strlen(in) + 1);
    if (!word)
        return NULL;
    char *out = word;
    char quote = '\0';
    for (; *in && (quote || !is_blank(*in)); in++) {
        if (*in == quote) {
            quote = '\0';
        } else if (!quote && (*in == '"' || *in == '\'')) {
            quote = *in;
        } else if (*in == '\\' && quote != '\'' && in[1]) {
            *out++ = *++in;
        } else {
            *out++ = *in;
        }
    }
    *out = '\0';
    *rest = in;
    return word;
}

int fpgacc_options_parse(struct fpgacc_options *options, const char *text)
{
    options->words = NULL;
    options->count = 0;
    const char *rest = text ? text : "";
    for (;;) {
        while (is_blank(*rest))
            rest++;
        if (!*rest)
            return 1;
        char **words = realloc(options->words, (options->count + 1) * sizeof *words);
        if (words)
            options->words = words;
        char *word = words ? next_word(&rest) : NULL;
        if (!word) {
            fpgacc_options_free(options);
            return 0;
        }
        options->words[options->count++] = word;
    }
}

void fpgacc_options_free(struct fpgacc_options *options)
{
    for (size_t i = 0; i < options->count; i++)
        free(options->words[i]);
    free(options->words);
    options->words = NULL;
    options->count = 0;
}

int fpgacc_options_nonuniform(const struct fpgacc_options *options)
{
    int yes = 0;
    for (size_t i = 0; i < options->count; i++) {
        const char *word = options->words[i];
        if (strncmp(word, "-cl-std=CL", 10) == 0)
            yes = word[10] >= '2';
        if (strcmp(word, "-cl-uniform-work-group-size") == 0)
            return 0;
    }
    return yes;
}

/* The value that a macro gets from `NAME` or `NAME=VALUE`; NULL if it is another macro's. */
static const char *value_in(const char *define, const char *name)
{
    size_t length = strlen(name);
    if (strncmp(define, name, length) != 0)
        return NULL;
    if (define[length] == '\0')
        return "1";
    return define[length] == '=' ? define + length + 1 : NULL;
}

/* The value of a macro after all options, as the last -D or -U says. */
static const char *value_in_options(const struct fpgacc_options *options, const char *name)
{
    const char *value = NULL;
    for (size_t i = 0; i < options->count; i++) {
        const char *word = options->words[i];
        if (word[0] != '-' || (word[1] != 'D' && word[1] != 'U'))
            continue;
        const char *define = word + 2;
        if (!*define && i + 1 < options->count)
            define = options->words[++i];
        const char *given = value_in(define, name);
        if (given)
            value = word[1] == 'D' ? given : NULL;
    }
    return value;
}

static const char *value_in_variant(const struct fpgacc_program *variant, const char *name)
{
    const char *value = NULL;
    for (uint32_t i = 0; i < variant->define_count; i++) {
        const char *given = value_in(variant->defines[i], name);
        if (given)
            value = given;
    }
    return value;
}

static void add_define(struct fpgacc_text *why, const char *name, const char *value)
{
    if (value)
        fpgacc_text_add(why, "-D%s=%s", name, value);
    else
        fpgacc_text_add(why, "no -D%s", name);
}

int fpgacc_options_match(const struct fpgacc_options *options,
                         const struct fpgacc_program *variant, struct fpgacc_text *why)
{
    for (uint32_t i = 0; i < variant->macro_name_count; i++) {
        const char *name = variant->macro_names[i];
        const char *host = value_in_options(options, name);
        const char *compiled = value_in_variant(variant, name);
        if (host == compiled || (host && compiled && strcmp(host, compiled) == 0))
            continue;
        if (why) {
            fpgacc_text_add(why, "the host passes ");
            add_define(why, name, host);
            fpgacc_text_add(why, ", %s has ", variant->aocx);
            add_define(why, name, compiled);
        }
        return 0;
    }
    return 1;
}
