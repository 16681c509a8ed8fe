/* Plans of kernels that are launched with data that is made: what programs of this folder and of `counters/` read.
 *
 *     kernel PROGRAM NAME FILE
 *     options TEXT
 *     global X [Y [Z]]
 *     local X [Y [Z]]          the author's; `local null` where the author leaves it open
 *     arg KIND ..              in their order; see kernels.yaml
 *     run */

#ifndef PLAN_H
#define PLAN_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_ARGS = 24 };
/* What `seed` is before the first argument of a kernel. */
#define SEED 88172645463325252ull

struct job {
    char program[128], name[128], file[512], options[512];
    unsigned dims;
    size_t global[3], author[3];
    int author_null, count;
    char args[MAX_ARGS][256];
};

/* What an argument is: a scalar, bytes of local memory, or a buffer and what it holds. */
struct data {
    char kind[32];
    unsigned long n[3];
    int is_scalar, is_local, resets;
    size_t size, count; /* of an element; elements */
    char value[8];      /* a scalar's */
};

static uint64_t seed;

static void fail(const char *what, int code)
{
    fprintf(stderr, "%s (%d)\n", what, code);
    exit(1);
}

static uint32_t draw(void)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return (uint32_t)(seed >> 20);
}

static double unit(void) { return 0.1 + draw() % 1000000 * 1e-6; }

/* Fills memory with what an argument asks for; `from` is the index of the first element. */
static void fill(char *to, const struct data *data, size_t from, size_t count)
{
    const char *kind = data->kind;
    const unsigned long *n = data->n;
    for (size_t i = 0; i < count; i++) {
        size_t at = from + i;
        if (!strcmp(kind, "floats"))
            ((float *)to)[i] = (float)unit();
        else if (!strcmp(kind, "doubles"))
            ((double *)to)[i] = unit();
        else if (!strcmp(kind, "ints"))
            ((int32_t *)to)[i] = (int32_t)(draw() % n[1]);
        else if (!strcmp(kind, "at"))
            ((int32_t *)to)[i] = (int32_t)n[1];
        else if (!strcmp(kind, "chars"))
            to[i] = (char)(draw() % n[1]);
        else if (!strcmp(kind, "ramp"))
            ((int32_t *)to)[i] = (int32_t)(at * n[1]);
        else if (!strcmp(kind, "nodes"))
            ((int32_t *)to)[i] = (int32_t)(at % 2 ? n[1] : at / 2 * n[1]);
        else if (!strcmp(kind, "near")) {
            long value = (long)(at % n[1]) + (long)(draw() % (2 * n[2] + 1)) - (long)n[2];
            long last = (long)n[1] - 1;
            ((int32_t *)to)[i] = (int32_t)(value < 0 ? 0 : value > last ? last : value);
        } else
            to[i] = 0;
    }
}

static void shuffle(int32_t *all, size_t count)
{
    for (size_t i = 0; i < count; i++)
        all[i] = (int32_t)i;
    for (size_t i = count - 1; i > 0; i--) {
        size_t j = draw() % (i + 1);
        int32_t kept = all[i];
        all[i] = all[j];
        all[j] = kept;
    }
}

/* What a buffer holds, to be freed. */
static inline char *made_for(const struct data *data)
{
    char *memory = malloc(data->count * data->size + 1);
    if (!strcmp(data->kind, "order"))
        shuffle((int32_t *)memory, data->count);
    else
        fill(memory, data, 0, data->count);
    return memory;
}

/* The author's local size; where that is left open, a usual one that divides the launch. */
static inline void chosen(const struct job *job, size_t local[3])
{
    const size_t line[3] = {64, 1, 1}, square[3] = {16, 16, 1};
    for (int d = 0; d < 3; d++) {
        size_t size = job->author_null ? (job->dims == 1 ? line : square)[d] : job->author[d];
        while (job->global[d] % size)
            size--;
        local[d] = size;
    }
}

static int read_scalar(struct data *data, const char *text)
{
    int32_t i = (int32_t)strtoll(text, NULL, 0);
    int64_t l = strtoll(text, NULL, 0);
    int16_t s = (int16_t)l;
    float f = strtof(text, NULL);
    double d = strtod(text, NULL);
    const struct { const char *kind; size_t size; const void *value; } kinds[] = {
        {"int", 4, &i}, {"uint", 4, &i}, {"long", 8, &l}, {"short", 2, &s}, {"float", 4, &f}, {"double", 8, &d},
    };
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
        if (!strcmp(data->kind, kinds[k].kind)) {
            data->size = kinds[k].size;
            memcpy(data->value, kinds[k].value, data->size);
            return data->is_scalar = 1;
        }
    return 0;
}

static inline struct data described(const char *text)
{
    struct data data;
    char word[32] = "";
    memset(&data, 0, sizeof data);
    data.n[1] = 1;
    uint32_t pair[2];
    if (sscanf(text, "uint2 %u %u", &pair[0], &pair[1]) == 2) {
        memcpy(data.value, pair, data.size = sizeof pair);
        data.is_scalar = 1;
        return data;
    }
    if (sscanf(text, "%31s %31s", data.kind, word) == 2 && read_scalar(&data, word))
        return data;
    if (sscanf(text, "%31s %lu %*s %lu %*s %lu", data.kind, &data.n[0], &data.n[1], &data.n[2]) < 2)
        fail(text, 0);
    if (!strcmp(data.kind, "ints") && strstr(text, " at "))
        strcpy(data.kind, "at");
    data.is_local = !strcmp(data.kind, "local");
    data.resets = strstr(text, "reset") != NULL;
    int bytes = data.is_local || !strcmp(data.kind, "chars") || !strcmp(data.kind, "zeros");
    data.size = bytes ? 1 : !strcmp(data.kind, "doubles") ? 8 : 4;
    data.count = !strcmp(data.kind, "nodes") ? data.n[0] * 2 : data.n[0];
    return data;
}

static void sizes(const char *text, size_t *to)
{
    unsigned long n[3] = {1, 1, 1};
    sscanf(text, "%lu %lu %lu", &n[0], &n[1], &n[2]);
    for (int d = 0; d < 3; d++)
        to[d] = n[d];
}

/* Calls `run` with each kernel. */
static inline void read_plan(const char *path, void (*run)(const struct job *))
{
    FILE *plan = fopen(path, "r");
    if (!plan)
        fail(path, 0);
    char line[1024], word[32];
    struct job job;
    memset(&job, 0, sizeof job);
    while (fgets(line, sizeof line, plan)) {
        line[strcspn(line, "\n")] = 0;
        int at = 0;
        if (sscanf(line, "%31s %n", word, &at) < 1)
            continue;
        const char *rest = line + at;
        if (!strcmp(word, "kernel")) {
            memset(&job, 0, sizeof job);
            if (sscanf(rest, "%127s %127s %511s", job.program, job.name, job.file) != 3)
                fail(line, 0);
        } else if (!strcmp(word, "options")) {
            snprintf(job.options, sizeof job.options, "%s", rest);
        } else if (!strcmp(word, "global")) {
            sizes(rest, job.global);
            unsigned long unused;
            job.dims = (unsigned)sscanf(rest, "%lu %lu %lu", &unused, &unused, &unused);
        } else if (!strcmp(word, "local")) {
            job.author_null = !strcmp(rest, "null");
            sizes(rest, job.author);
        } else if (!strcmp(word, "arg") && job.count < MAX_ARGS) {
            snprintf(job.args[job.count++], sizeof job.args[0], "%s", rest);
        } else if (!strcmp(word, "run")) {
            run(&job);
        }
    }
    fclose(plan);
}

#endif
