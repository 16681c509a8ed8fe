/* What a number was, launch after launch. */
#include "trace.h"

#include <stdlib.h>
#include <string.h>

static uint64_t common_divisor(uint64_t a, uint64_t b)
{
    while (b) {
        uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

void values_add(struct values *values, uint64_t value)
{
    if (values->count == 0) {
        values->min = values->max = value;
    } else {
        uint64_t distance = value > values->min ? value - values->min : values->min - value;
        values->step = common_divisor(values->step, distance);
        values->min = value < values->min ? value : values->min;
        values->max = value > values->max ? value : values->max;
    }
    unsigned at = 0;
    while (at < values->count && values->seen[at] < value)
        at++;
    if (values->is_many || (at < values->count && values->seen[at] == value))
        return;
    if (values->count == SEEN_MOST) {
        values->is_many = 1;
        return;
    }
    memmove(&values->seen[at + 1], &values->seen[at],
            (values->count - at) * sizeof values->seen[0]);
    values->seen[at] = value;
    values->count++;
}

void blobs_add(struct blobs *blobs, const void *data, size_t size)
{
    for (unsigned i = 0; i < blobs->count; i++)
        if (memcmp(blobs->seen[i], data, size) == 0)
            return;
    unsigned char *copy = blobs->count < SEEN_MOST ? malloc(size ? size : 1) : NULL;
    if (!copy) {
        blobs->is_many = 1;
        return;
    }
    memcpy(copy, data, size);
    blobs->seen[blobs->count++] = copy;
}
