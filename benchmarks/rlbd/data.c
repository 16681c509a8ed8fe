/* Inputs. Those named after a schema follow the thesis's section 7.4.1: sequences of 256 bytes, each
 * of a random base and of values whose differences to it fit the schema. The others are generated to
 * look like kinds of data; none is a copy of a published set. */
#include "format.h"

#include <stdio.h>
#include <string.h>

#include "workload.h"

const char *const data_names[] = {"8-0", "8-1", "8-2", "8-4", "8-8", "4-1", "4-2",
                                  "gisette", "crime", "runs", "walk", NULL};

enum { SEQUENCE = 256, CRIME_ROWS = 2215, CRIME_BYTES = 4, CRIME_INTEGERS = 43, CRIME_FLOATS = 98 };

static uint64_t random64(lcg_t *lcg)
{
    uint64_t high = lcg_bits(lcg);
    return high << 32 | lcg_bits(lcg);
}

/* Writes what fits of a value. */
static size_t put(uint8_t *output, size_t bytes, size_t at, const void *value, size_t width)
{
    size_t room = bytes - at;
    memcpy(output + at, value, width < room ? width : room);
    return width < room ? at + width : bytes;
}

static void fill_schema(lcg_t *lcg, int base_bytes, int delta_bytes, uint8_t *output, size_t bytes)
{
    size_t at = 0;
    while (at < bytes) {
        uint64_t base = random64(lcg);
        for (int i = 0; i < SEQUENCE / base_bytes; i++) {
            int64_t delta = 0;
            if (i > 0 && delta_bytes > 0)
                delta = (int64_t)random64(lcg) >> (64 - 8 * delta_bytes);
            uint64_t value = base + (uint64_t)delta;
            at = put(output, bytes, at, &value, (size_t)base_bytes);
        }
    }
}

/* Pixel features like those of Gisette (UCI): integers from 0 to 999, 13 % of which are not zero. */
static void fill_gisette(lcg_t *lcg, uint8_t *output, size_t bytes)
{
    size_t at = 0;
    while (at < bytes) {
        int32_t pixel = lcg_between(lcg, 1, 100) <= 13 ? lcg_between(lcg, 1, 999) : 0;
        at = put(output, bytes, at, &pixel, sizeof(pixel));
    }
}

/* Columns like those of Communities and Crime (UCI), as the thesis packs them: 2,215 rows, 4 columns
 * of bytes, 43 of counts of very different magnitude, 98 of percentages with two decimals. */
static void fill_crime(lcg_t *lcg, uint8_t *output, size_t bytes)
{
    size_t at = 0;
    while (at < bytes) {
        for (int i = 0; i < CRIME_BYTES * CRIME_ROWS; i++) {
            uint8_t value = (uint8_t)lcg_between(lcg, 1, 10);
            at = put(output, bytes, at, &value, 1);
        }
        for (int column = 0; column < CRIME_INTEGERS; column++) {
            int largest = 1 << lcg_between(lcg, 4, 20);
            for (int row = 0; row < CRIME_ROWS; row++) {
                int32_t count = (int32_t)((float)largest * lcg_unit(lcg) * lcg_unit(lcg) * lcg_unit(lcg));
                at = put(output, bytes, at, &count, sizeof(count));
            }
        }
        for (int column = 0; column < CRIME_FLOATS; column++) {
            float middle = 80.0f * lcg_unit(lcg);
            for (int row = 0; row < CRIME_ROWS; row++) {
                float share = (float)(int)(100.0f * (middle + 20.0f * lcg_unit(lcg))) / 100.0f;
                at = put(output, bytes, at, &share, sizeof(share));
            }
        }
    }
}

/* Runs of equal numbers, of 1 to 99 each. */
static void fill_runs(lcg_t *lcg, uint8_t *output, size_t bytes)
{
    size_t at = 0;
    while (at < bytes) {
        int32_t value = (int32_t)lcg_bits(lcg);
        for (int length = lcg_between(lcg, 1, 99); length > 0; length--)
            at = put(output, bytes, at, &value, sizeof(value));
    }
}

/* Time stamps of events about a thousand ticks apart. */
static void fill_walk(lcg_t *lcg, uint8_t *output, size_t bytes)
{
    size_t at = 0;
    int64_t time = INT64_C(1700000000000000);
    while (at < bytes) {
        time += lcg_between(lcg, 900, 1100);
        at = put(output, bytes, at, &time, sizeof(time));
    }
}

int generate_data(const char *name, uint64_t seed, uint8_t *output, size_t bytes)
{
    lcg_t lcg = lcg_seed(seed);
    int base, delta, used = 0;
    if (sscanf(name, "%1d-%1d%n", &base, &delta, &used) == 2 && name[used] == '\0'
        && (base == 4 || base == 8)) {
        fill_schema(&lcg, base, delta, output, bytes);
        return base;
    }
    if (strcmp(name, "gisette") == 0)
        return fill_gisette(&lcg, output, bytes), 4;
    if (strcmp(name, "crime") == 0)
        return fill_crime(&lcg, output, bytes), 4;
    if (strcmp(name, "runs") == 0)
        return fill_runs(&lcg, output, bytes), 4;
    if (strcmp(name, "walk") == 0)
        return fill_walk(&lcg, output, bytes), 8;
    return 0;
}
