/* RLBD on the CPU: the serial algorithms of the thesis's section 7.2, one value after another. */
#include "format.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    int base, delta; /* bytes */
} schema_t;

/* The best ratio first; of equal ratios the 8-byte base. */
static const schema_t schemas[] = {{8, 0}, {8, 1}, {8, 2}, {4, 1}, {8, 4}, {4, 2}, {8, 8}};
enum { SCHEMAS = sizeof(schemas) / sizeof(schemas[0]) };

void *allocate(size_t bytes)
{
    void *memory = malloc(bytes > 0 ? bytes : 1);
    if (memory == NULL) {
        fprintf(stderr, "rlbd: no memory for %zu bytes\n", bytes);
        exit(2);
    }
    return memory;
}

static uint64_t load(const uint8_t *bytes, int count)
{
    uint64_t value = 0;
    for (int i = 0; i < count; i++)
        value |= (uint64_t)bytes[i] << (8 * i);
    return value;
}

static void store(uint8_t *bytes, int count, uint64_t value)
{
    for (int i = 0; i < count; i++)
        bytes[i] = (uint8_t)(value >> (8 * i));
}

/* The low `bytes` bytes of a number in two's complement, as 64 bits. */
static uint64_t sign_extend(uint64_t value, int bytes)
{
    if (bytes == 0)
        return 0;
    uint64_t sign = UINT64_C(1) << (8 * bytes - 1);
    uint64_t mask = sign | (sign - 1);
    return ((value & mask) ^ sign) - sign;
}

static int fits(uint64_t value, uint64_t base, schema_t schema)
{
    uint64_t delta = sign_extend(value - base, schema.base);
    return sign_extend(delta, schema.delta) == delta;
}

/* Values that a frame may have. */
static size_t frame_limit(schema_t schema, size_t size)
{
    size_t values = size / schema.base;
    if (schema.delta == 0)
        return values;
    size_t limit = FRAME_DELTA_BYTES / schema.delta;
    return values < limit ? values : limit;
}

/* How many of the next values, at most `limit`, a frame of this schema holds. */
static size_t run_length(const uint8_t *input, size_t limit, schema_t schema)
{
    uint64_t base = load(input, schema.base);
    size_t length = 1;
    while (length < limit && fits(load(input + length * schema.base, schema.base), base, schema))
        length++;
    return length;
}

static schema_t choose(const uint8_t *input, size_t size, size_t lookahead)
{
    for (int i = 0; i < SCHEMAS; i++) {
        size_t values = size / schemas[i].base;
        size_t needed = values < lookahead + 1 ? values : lookahead + 1;
        if (values > 0 && run_length(input, needed, schemas[i]) == needed)
            return schemas[i];
    }
    return schemas[SCHEMAS - 1]; /* not reached: 4 bytes are a 4-byte base, 8 bytes fit 8-8 */
}

static size_t compress_words(const uint8_t *input, size_t size, int lookahead, uint8_t *output)
{
    uint8_t *at = output;
    while (size > 0) {
        schema_t schema = choose(input, size, (size_t)lookahead);
        size_t values = run_length(input, frame_limit(schema, size), schema);
        uint64_t base = load(input, schema.base);
        store(at, 8, base);
        store(at + 8, 2, (uint64_t)schema.base << 8 | (uint64_t)schema.delta);
        store(at + 10, 6, values - 1);
        at += HEADER_BYTES;
        for (size_t i = 1; i < values; i++, at += schema.delta)
            store(at, schema.delta, load(input + i * schema.base, schema.base) - base);
        input += values * schema.base;
        size -= values * schema.base;
    }
    return (size_t)(at - output);
}

size_t rlbd_bound(size_t size)
{
    /* A frame may hold as little as one value of four bytes. */
    return (size + 7) / 8 * 8 * (HEADER_BYTES / 4);
}

size_t rlbd_compress(const uint8_t *input, size_t size, int lookahead, uint8_t *output)
{
    if (size % 8 == 0)
        return compress_words(input, size, lookahead, output);
    size_t padded = (size + 7) / 8 * 8;
    uint8_t *copy = allocate(padded);
    memset(copy + size, 0, padded - size);
    memcpy(copy, input, size);
    size_t written = compress_words(copy, padded, lookahead, output);
    free(copy);
    return written;
}

/* A frame's header, checked. */
typedef struct {
    uint64_t base, values;
    schema_t schema;
} frame_t;

static int known(schema_t schema)
{
    for (int i = 0; i < SCHEMAS; i++) {
        if (schemas[i].base == schema.base && schemas[i].delta == schema.delta)
            return 1;
    }
    return 0;
}

static int read_frame(const uint8_t *frames, size_t size, frame_t *frame)
{
    if (size < HEADER_BYTES)
        return -1;
    frame->schema.delta = frames[8];
    frame->schema.base = frames[9];
    frame->base = load(frames, 8);
    frame->values = load(frames + 10, 6) + 1;
    if (!known(frame->schema))
        return -1;
    size_t deltas = size - HEADER_BYTES;
    int fit = frame->schema.delta == 0 || frame->values - 1 <= deltas / frame->schema.delta;
    return fit ? 0 : -1;
}

/* The bytes of a frame, header and deltas. */
static size_t frame_size(const frame_t *frame)
{
    return HEADER_BYTES + (frame->values - 1) * frame->schema.delta;
}

int rlbd_decompress(const uint8_t *frames, size_t size, uint64_t warmup, uint8_t *output, size_t room)
{
    while (room > 0) {
        frame_t frame;
        if (read_frame(frames, size, &frame) != 0)
            return -1;
        uint64_t skipped = warmup / frame.schema.base;
        if (skipped >= frame.values) {
            warmup -= frame.values * frame.schema.base;
            skipped = frame.values;
        } else {
            warmup -= skipped * frame.schema.base;
        }
        for (uint64_t i = skipped; i < frame.values && room > 0; i++) {
            const uint8_t *delta = frames + HEADER_BYTES + (i - 1) * frame.schema.delta;
            uint64_t value = frame.base;
            if (i > 0)
                value += sign_extend(load(delta, frame.schema.delta), frame.schema.delta);
            uint8_t bytes[8];
            store(bytes, 8, value);
            size_t count = frame.schema.base - warmup;
            count = count < room ? count : room;
            memcpy(output, bytes + warmup, count);
            output += count;
            room -= count;
            warmup = 0;
        }
        frames += frame_size(&frame);
        size -= frame_size(&frame);
    }
    return 0;
}

/* ---- Streams ---- */

static size_t round_up(size_t size, size_t multiple)
{
    return (size + multiple - 1) / multiple * multiple;
}

/* Puts a directory after `size` bytes of frames. */
static stream_t with_directory(uint8_t *frames, size_t size, const partition_t *entries, size_t count)
{
    stream_t stream = {frames, 0, count, 0};
    size_t start = round_up(size, 16);
    memset(frames + size, 0, start - size);
    for (size_t i = 0; i < count; i++) {
        uint8_t *entry = frames + start + i * sizeof(partition_t);
        store(entry, 8, entries[i].source);
        store(entry + 8, 8, entries[i].target);
        store(entry + 16, 8, entries[i].size);
        store(entry + 24, 8, entries[i].warmup);
    }
    stream.size = start + count * sizeof(partition_t);
    return stream;
}

stream_t rlbd_stream(const uint8_t *input, size_t size, int lookahead)
{
    size_t count = (size + PARTITION - 1) / PARTITION;
    partition_t *entries = allocate(count * sizeof(partition_t));
    uint8_t *frames = allocate(count * (rlbd_bound(PARTITION) + 16 + sizeof(partition_t)) + 16);
    size_t at = 0;
    for (size_t i = 0; i < count; i++) {
        size_t start = i * PARTITION;
        size_t length = size - start < PARTITION ? size - start : PARTITION;
        size_t written = rlbd_compress(input + start, length, lookahead, frames + at);
        entries[i] = (partition_t){at, start, written, 0};
        memset(frames + at + written, 0, round_up(written, 16) - written);
        at += round_up(written, 16);
    }
    stream_t stream = with_directory(frames, at, entries, count);
    stream.output_size = size;
    free(entries);
    return stream;
}

/* The frames of one chain that an output of `length` bytes from `target` on needs: `at` is a frame
 * that begins `start` bytes into the output, not after `target`. Moves both to the first of them. */
static partition_t entry_in_chain(const uint8_t *frames, size_t size, size_t *at, uint64_t *start,
                                  uint64_t target, uint64_t length)
{
    frame_t frame;
    while (read_frame(frames + *at, size - *at, &frame) == 0
           && *start + frame.values * frame.schema.base <= target) {
        *start += frame.values * frame.schema.base;
        *at += frame_size(&frame);
    }
    size_t end = *at;
    uint64_t reached = *start;
    while (reached < target + length && read_frame(frames + end, size - end, &frame) == 0) {
        reached += frame.values * frame.schema.base;
        end += frame_size(&frame);
    }
    return (partition_t){*at, target, end - *at, target - *start};
}

stream_t rlbd_serial_stream(const uint8_t *input, size_t size, int lookahead)
{
    size_t count = (size + PARTITION - 1) / PARTITION;
    partition_t *entries = allocate(count * sizeof(partition_t));
    uint8_t *frames = allocate(rlbd_bound(size) + count * sizeof(partition_t) + 16);
    size_t written = rlbd_compress(input, size, lookahead, frames);
    size_t at = 0;
    uint64_t start = 0;
    for (size_t i = 0; i < count; i++) {
        size_t target = i * PARTITION;
        size_t length = size - target < PARTITION ? size - target : PARTITION;
        entries[i] = entry_in_chain(frames, written, &at, &start, target, length);
    }
    stream_t stream = with_directory(frames, written, entries, count);
    stream.output_size = size;
    free(entries);
    return stream;
}

const partition_t *stream_directory(const stream_t *stream)
{
    return (const partition_t *)(stream->bytes + stream->size - stream->count * sizeof(partition_t));
}

int stream_decompress(const stream_t *stream, uint8_t *output)
{
    const partition_t *directory = stream_directory(stream);
    for (size_t i = 0; i < stream->count; i++) {
        partition_t entry = directory[i];
        uint64_t end = i + 1 < stream->count ? directory[i + 1].target : stream->output_size;
        if (rlbd_decompress(stream->bytes + entry.source, entry.size, entry.warmup,
                            output + entry.target, end - entry.target) != 0)
            return -1;
    }
    return 0;
}

void stream_free(stream_t *stream)
{
    free(stream->bytes);
    stream->bytes = NULL;
}
