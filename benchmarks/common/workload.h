/* What the benchmark programs share: generated inputs, command-line options, the record of
 * everything a program reads back, and the verdict. Plain C99 that is also C++; the OpenCL parts
 * stay in each program, for they are what is measured. */
#ifndef WORKLOAD_H
#define WORKLOAD_H

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Generated inputs: a 64-bit linear congruential generator with Knuth's MMIX constants, of which
 * the upper bits are used. The same seed gives the same input on every machine. */
typedef struct {
    uint64_t state;
} lcg_t;

static inline lcg_t lcg_seed(uint64_t seed)
{
    lcg_t lcg;
    lcg.state = seed;
    return lcg;
}

static inline uint32_t lcg_bits(lcg_t *lcg)
{
    lcg->state = lcg->state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(lcg->state >> 32);
}

/* A float in [0, 1), a multiple of 2^-24. */
static inline float lcg_unit(lcg_t *lcg)
{
    return (float)(lcg_bits(lcg) >> 8) * (1.0f / 16777216.0f);
}

/* An integer in [low, high]. */
static inline int lcg_between(lcg_t *lcg, int low, int high)
{
    return low + (int)(((uint64_t)lcg_bits(lcg) * (uint64_t)(high - low + 1)) >> 32);
}

/* The record of all read-backs. In the file, each one is a line `name type count` followed by its
 * bytes as they are; on the screen, one FNV-1a checksum stands for all of them. */
typedef struct {
    FILE *file;
    uint64_t checksum;
} readbacks_t;

static inline readbacks_t readbacks_open(const char *path)
{
    readbacks_t log;
    log.file = NULL;
    log.checksum = UINT64_C(14695981039346656037);
    if (path != NULL) {
        log.file = fopen(path, "wb");
        if (log.file == NULL) {
            perror(path);
            exit(2);
        }
    }
    return log;
}

static inline void readbacks_add(readbacks_t *log, const char *name, const char *type,
                                 const void *data, size_t count, size_t element_bytes)
{
    const unsigned char *bytes = (const unsigned char *)data;
    for (size_t i = 0; i < count * element_bytes; i++)
        log->checksum = (log->checksum ^ bytes[i]) * UINT64_C(1099511628211);
    if (log->file == NULL)
        return;
    fprintf(log->file, "%s %s %lu\n", name, type, (unsigned long)count);
    if (fwrite(data, element_bytes, count, log->file) != count) {
        perror("readbacks");
        exit(2);
    }
}

static inline void readbacks_f32(readbacks_t *log, const char *name, const float *data, size_t count)
{
    readbacks_add(log, name, "f32", data, count, sizeof(float));
}

static inline void readbacks_i32(readbacks_t *log, const char *name, const int *data, size_t count)
{
    readbacks_add(log, name, "i32", data, count, sizeof(int));
}

static inline void readbacks_u8(readbacks_t *log, const char *name, const unsigned char *data,
                                size_t count)
{
    readbacks_add(log, name, "u8", data, count, 1);
}

static inline void readbacks_close(readbacks_t *log)
{
    if (log->file != NULL && fclose(log->file) != 0) {
        perror("readbacks");
        exit(2);
    }
    printf("checksum: %016llx\n", (unsigned long long)log->checksum);
}

/* The verdict of a program on itself. `error` is the largest |device - reference| / (|reference| +
 * scale) that it found; NaN fails. Returns the exit status. */
static inline double error_against(double device, double reference, double scale)
{
    return fabs(device - reference) / (fabs(reference) + scale);
}

static inline double worse(double a, double b)
{
    return (a != a || a >= b) ? a : b; /* NaN is worst: it wins from either side. */
}

static inline int verdict(double error, double tolerance)
{
    int pass = error <= tolerance;
    printf("reference: largest error %.3g, tolerance %.3g\n", error, tolerance);
    printf("%s\n", pass ? "PASS" : "FAIL");
    return pass ? 0 : 1;
}

/* Options: `--name value` and `--flag`, walked by each program's own loop. */
static inline const char *option_value(int argc, char **argv, int *at, const char *name)
{
    if (strcmp(argv[*at], name) != 0)
        return NULL;
    if (*at + 1 >= argc) {
        fprintf(stderr, "%s: %s needs a value\n", argv[0], name);
        exit(2);
    }
    *at += 1;
    return argv[*at];
}

static inline int option_count(const char *program, const char *text, int low, int high)
{
    char *end = NULL;
    long value = strtol(text, &end, 10);
    if (end == text || *end != '\0' || value < low || value > high) {
        fprintf(stderr, "%s: '%s' is not a number from %d to %d\n", program, text, low, high);
        exit(2);
    }
    return (int)value;
}

#endif
