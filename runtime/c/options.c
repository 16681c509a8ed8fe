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

/* What follows a letter option (`-D`, `-U`, `-I`) at `*at`, in the same word or the next; NULL if the
 * word there is none. Moves `*at` after the option. */
static const char *letter_value(const struct fpgacc_options *options, size_t *at, char letter)
{
    const char *word = options->words[*at];
    if (word[0] != '-' || word[1] != letter)
        return NULL;
    (*at)++;
    if (word[2])
        return word + 2;
    return *at < options->count ? options->words[(*at)++] : "";
}

const char *fpgacc_options_folder(const struct fpgacc_options *options, size_t *at)
{
    while (*at < options->count) {
        const char *folder = letter_value(options, at, 'I');
        if (folder)
            return folder;
        (*at)++;
    }
    return NULL;
}

/* ---- macros --------------------------------------------------------------------------------- */

/* The length of the name in `NAME`, `NAME=VALUE` or `NAME(PARAMETERS)=VALUE`. */
static size_t name_length(const char *define)
{
    return strcspn(define, "=(");
}

/* The value that a macro gets from a definition; NULL if it is another macro's. */
static const char *value_in(const char *define, const char *name, size_t length)
{
    if (name_length(define) != length || strncmp(define, name, length) != 0)
        return NULL;
    if (define[length] == '\0')
        return "1";
    return define[length] == '=' ? define + length + 1 : define + length;
}

/* The value of a macro after all options, as the last -D or -U says. */
static const char *value_in_options(const struct fpgacc_options *options, const char *name,
                                    size_t length)
{
    const char *value = NULL;
    for (size_t at = 0; at < options->count;) {
        const char *define = letter_value(options, &at, 'D');
        const char *given = define ? value_in(define, name, length) : NULL;
        if (define) {
            value = given ? given : value;
            continue;
        }
        const char *undefined = letter_value(options, &at, 'U');
        if (!undefined)
            at++;
        else if (strlen(undefined) == length && strncmp(undefined, name, length) == 0)
            value = NULL;
    }
    return value;
}

static const char *value_in_variant(const struct fpgacc_program *variant, const char *name,
                                    size_t length)
{
    const char *value = NULL;
    for (uint32_t i = 0; i < variant->define_count; i++) {
        const char *given = value_in(variant->defines[i], name, length);
        if (given)
            value = given;
    }
    return value;
}

static void add_define(struct fpgacc_text *why, const char *name, size_t length,
                       const char *value)
{
    if (value)
        fpgacc_text_add(why, "-D%.*s=%s", (int)length, name, value);
    else
        fpgacc_text_add(why, "no -D%.*s", (int)length, name);
}

/* Whether host and variant give a macro the same value. */
static int macro_agrees(const struct fpgacc_options *options,
                        const struct fpgacc_program *variant, const char *name,
                        struct fpgacc_text *why)
{
    size_t length = name_length(name);
    const char *host = value_in_options(options, name, length);
    const char *compiled = value_in_variant(variant, name, length);
    if (host == compiled || (host && compiled && strcmp(host, compiled) == 0))
        return 1;
    if (why) {
        fpgacc_text_add(why, "the host passes ");
        add_define(why, name, length, host);
        fpgacc_text_add(why, ", %s has ", variant->aocx);
        add_define(why, name, length, compiled);
    }
    return 0;
}

/* Whether a name can be put together from the words of a text that pastes names. */
static int can_be_pasted(const char *define, const struct fpgacc_program *variant)
{
    size_t length = name_length(define);
    char *reached = calloc(length + 1, 1);
    if (!reached)
        return 1;
    reached[0] = 1;
    for (size_t start = 0; start < length; start++)
        for (uint32_t i = 0; reached[start] && i < variant->macro_name_count; i++) {
            size_t own = strlen(variant->macro_names[i]);
            if (own <= length - start &&
                strncmp(define + start, variant->macro_names[i], own) == 0)
                reached[start + own] = 1;
        }
    int found = reached[length];
    free(reached);
    return found;
}

static int macros_agree(const struct fpgacc_options *options,
                        const struct fpgacc_program *variant, struct fpgacc_text *why)
{
    for (uint32_t i = 0; i < variant->macro_name_count; i++)
        if (!macro_agrees(options, variant, variant->macro_names[i], why))
            return 0;
    if (!variant->any_macro)
        return 1;
    for (size_t at = 0; at < options->count;) {
        const char *define = letter_value(options, &at, 'D');
        if (define && can_be_pasted(define, variant) &&
            !macro_agrees(options, variant, define, why))
            return 0;
        at += !define;
    }
    for (uint32_t i = 0; i < variant->define_count; i++)
        if (!macro_agrees(options, variant, variant->defines[i], why))
            return 0;
    return 1;
}

/* ---- other options -------------------------------------------------------------------------- */

/* What an option other than -D, -U and -I is about. */
enum kind {
    NEUTRAL, /* it changes nothing of what a program computes */
    PERMITS, /* it allows less exact results: they need not be less exact */
    EXACT,   /* it asks for more exact results */
    MEANING  /* it changes what the program means, or nothing is known of it */
};

struct known_option {
    const char *name; /* up to a `*`: what follows is a value */
    enum kind kind;
};

/* OpenCL 3.0, 5.8.6, and what the compilers of vendors take. */
static const struct known_option known_options[] = {
    {"-w", NEUTRAL},
    {"-W*", NEUTRAL},
    {"-g", NEUTRAL},
    {"-v", NEUTRAL},
    {"-verbose", NEUTRAL},
    {"-O*", NEUTRAL},
    {"-save-temps*", NEUTRAL},
    {"-cl-opt-disable", NEUTRAL},
    {"-cl-kernel-arg-info", NEUTRAL},
    /* The runtime looks at it itself. */
    {"-cl-uniform-work-group-size", NEUTRAL},
    {"-cl-nv-*", NEUTRAL},
    {"-cl-intel-*", NEUTRAL},
    {"-fbin-*", NEUTRAL},
    {"-fno-bin-*", NEUTRAL},
    {"-cl-strict-aliasing", PERMITS},
    {"-cl-denorms-are-zero", PERMITS},
    {"-cl-no-subgroup-ifp", PERMITS},
    {"-cl-mad-enable", PERMITS},
    {"-cl-no-signed-zeros", PERMITS},
    {"-cl-finite-math-only", PERMITS},
    {"-cl-unsafe-math-optimizations", PERMITS},
    {"-cl-fast-relaxed-math", PERMITS},
    {"-cl-fp32-correctly-rounded-divide-sqrt", EXACT},
};

static enum kind kind_of(const char *word)
{
    for (size_t i = 0; i < sizeof known_options / sizeof *known_options; i++) {
        const char *name = known_options[i].name;
        size_t length = strcspn(name, "*");
        if (strncmp(word, name, length) == 0 && (name[length] == '*' || !word[length]))
            return known_options[i].kind;
    }
    return MEANING;
}

/* Whether an option counts: macros and folders are compared otherwise. The default version of the
 * language may be said or not. */
static int counts(const char *word)
{
    return kind_of(word) != NEUTRAL && strcmp(word, "-cl-std=CL1.2") != 0 &&
           !(fpgacc_is_strict() && fpgacc_is_loose(word));
}

/* The next option that counts and is of one kind, or NULL. */
static const char *next_option(const struct fpgacc_options *options, size_t *at, enum kind kind)
{
    while (*at < options->count) {
        if (letter_value(options, at, 'D') || letter_value(options, at, 'U') ||
            letter_value(options, at, 'I'))
            continue;
        const char *word = options->words[(*at)++];
        if (counts(word) && kind_of(word) == kind)
            return word;
    }
    return NULL;
}

static int has_option(const struct fpgacc_options *options, const char *name)
{
    for (size_t i = 0; i < options->count; i++)
        if (strcmp(options->words[i], name) == 0)
            return 1;
    return 0;
}

/* What an option allows, others allow as well. */
static int permits(const struct fpgacc_options *options, const char *name)
{
    if (has_option(options, name))
        return 1;
    if (strcmp(name, "-cl-mad-enable") == 0 || strcmp(name, "-cl-no-signed-zeros") == 0)
        return permits(options, "-cl-unsafe-math-optimizations");
    if (strcmp(name, "-cl-unsafe-math-optimizations") == 0 ||
        strcmp(name, "-cl-finite-math-only") == 0)
        return permits(options, "-cl-fast-relaxed-math");
    return 0;
}

static int disagree(struct fpgacc_text *why, const struct fpgacc_program *variant,
                    const char *host, const char *compiled)
{
    if (why)
        fpgacc_text_add(why, "the host passes %s%s, %s has %s%s", host ? "" : "no ",
                        host ? host : compiled, variant->aocx, compiled ? "" : "no ",
                        compiled ? compiled : host);
    return 0;
}

/* Whether both have the same options that change the meaning, in the same order. */
static int meanings_agree(const struct fpgacc_options *host, const struct fpgacc_options *own,
                          const struct fpgacc_program *variant, struct fpgacc_text *why)
{
    size_t at = 0, own_at = 0;
    for (;;) {
        const char *asked = next_option(host, &at, MEANING);
        const char *compiled = next_option(own, &own_at, MEANING);
        if (!asked && !compiled)
            return 1;
        if (!asked || !compiled || strcmp(asked, compiled) != 0)
            return disagree(why, variant, asked, compiled);
    }
}

/* Whether the variant computes no less exactly than the host allows. */
static int is_exact_enough(const struct fpgacc_options *host, const struct fpgacc_options *own,
                           const struct fpgacc_program *variant, struct fpgacc_text *why)
{
    const char *word;
    for (size_t at = 0; (word = next_option(own, &at, PERMITS));)
        if (!permits(host, word))
            return disagree(why, variant, NULL, word);
    for (size_t at = 0; (word = next_option(host, &at, EXACT));)
        if (!has_option(own, word))
            return disagree(why, variant, word, NULL);
    return 1;
}

/* Whether all that the host allows or asks for is what the variant was compiled with. */
static int has_same(const struct fpgacc_options *host, const struct fpgacc_options *own,
                    enum kind kind)
{
    const char *word;
    for (size_t at = 0; (word = next_option(host, &at, kind));)
        if (!has_option(own, word))
            return 0;
    for (size_t at = 0; (word = next_option(own, &at, kind));)
        if (!has_option(host, word))
            return 0;
    return 1;
}

/* -cl-fast-relaxed-math defines a macro; whether the text asks for it. */
static int tests_relaxed(const struct fpgacc_program *variant)
{
    int found = variant->any_macro;
    for (uint32_t i = 0; i < variant->macro_name_count && !found; i++)
        found = strcmp(variant->macro_names[i], "__FAST_RELAXED_MATH__") == 0;
    return found && !fpgacc_is_strict();
}

int fpgacc_folders_agree(const struct fpgacc_options *options,
                         const struct fpgacc_program *variant)
{
    uint32_t found = 0;
    const char *folder;
    for (size_t at = 0; (folder = fpgacc_options_folder(options, &at)); found++)
        if (found >= variant->folder_count || strcmp(folder, variant->folders[found]) != 0)
            return 0;
    return found == variant->folder_count;
}

enum fpgacc_match fpgacc_options_match(const struct fpgacc_options *options,
                                       const struct fpgacc_program *variant,
                                       struct fpgacc_text *why)
{
    static const char relaxed[] = "-cl-fast-relaxed-math";
    struct fpgacc_options own = {(char **)variant->options, variant->option_count};
    if (!macros_agree(options, variant, why) || !meanings_agree(options, &own, variant, why) ||
        !is_exact_enough(options, &own, variant, why))
        return FPGACC_DIFFERS;
    if (tests_relaxed(variant) && has_option(options, relaxed) != has_option(&own, relaxed)) {
        disagree(why, variant, has_option(options, relaxed) ? relaxed : NULL,
                 has_option(&own, relaxed) ? relaxed : NULL);
        return FPGACC_DIFFERS;
    }
    int same = has_same(options, &own, PERMITS) && has_same(options, &own, EXACT);
    return same ? FPGACC_MATCHES_EXACTLY : FPGACC_MATCHES;
}
