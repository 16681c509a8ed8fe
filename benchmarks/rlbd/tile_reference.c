/* Tiles on the CPU, value after value. A tile is 32 rows of 32 values, in the order of the input. */
#include "format.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
    int width;                    /* bytes of a value */
    uint64_t values[TILE_VALUES]; /* sign-extended */
} tile_t;

static int64_t load_value(const uint8_t *input, size_t index, int width)
{
    uint64_t value = 0;
    for (int i = 0; i < width; i++)
        value |= (uint64_t)input[index * width + i] << (8 * i);
    return width == 8 ? (int64_t)value : (int64_t)(int32_t)(uint32_t)value;
}

static int bits_of(uint64_t value)
{
    int bits = 0;
    for (; value != 0; value >>= 1)
        bits++;
    return bits;
}

/* The difference in the width of the values, sign-extended. */
static int64_t difference(const tile_t *tile, int at, int before)
{
    uint64_t delta = tile->values[at] - tile->values[before];
    return tile->width == 8 ? (int64_t)delta : (int64_t)(int32_t)(uint32_t)delta;
}

typedef struct {
    int64_t low, high;
} range_t;

static range_t widen(range_t range, int64_t value)
{
    range.low = value < range.low ? value : range.low;
    range.high = value > range.high ? value : range.high;
    return range;
}

static int range_bits(range_t range)
{
    return bits_of((uint64_t)range.high - (uint64_t)range.low);
}

/* Bytes of 32 lanes of `bits` bits each, in whole words of the values' width. */
static uint64_t packed_bytes(int bits, int width)
{
    int word = 8 * width;
    return (uint64_t)((bits + word - 1) / word) * (uint64_t)(TILE_LANES * width);
}

static tile_header_t measure(const tile_t *tile)
{
    range_t all = {INT64_MAX, INT64_MIN}, row0 = all, deltas = all;
    uint64_t runs = 0;
    for (int i = 0; i < TILE_VALUES; i++) {
        int64_t value = (int64_t)tile->values[i];
        all = widen(all, value);
        if (i < TILE_LANES)
            row0 = widen(row0, value);
        else
            deltas = widen(deltas, difference(tile, i, i - TILE_LANES));
        runs += i == 0 || tile->values[i] != tile->values[i - 1];
    }
    uint64_t mask = tile->width == 8 ? UINT64_MAX : UINT32_MAX;
    uint64_t bits = (uint64_t)range_bits(all), bits0 = bits;
    uint64_t bytes = packed_bytes((int)bits * TILE_ROWS, tile->width);
    tile_header_t header = {0, TILE_PLAIN, (uint64_t)all.low & mask, (uint64_t)all.low & mask};

    int delta_bits = range_bits(row0) + (TILE_ROWS - 1) * range_bits(deltas);
    if (packed_bytes(delta_bits, tile->width) < bytes) {
        bytes = packed_bytes(delta_bits, tile->width);
        bits = (uint64_t)range_bits(deltas);
        bits0 = (uint64_t)range_bits(row0);
        header = (tile_header_t){0, TILE_DELTA, (uint64_t)deltas.low & mask, (uint64_t)row0.low & mask};
    }
    uint64_t run_bytes = TILE_VALUES / 8 + (runs * tile->width + TILE_ALIGNMENT - 1) / TILE_ALIGNMENT * TILE_ALIGNMENT;
    if (run_bytes < bytes) {
        bytes = run_bytes;
        bits = bits0 = 0;
        header = (tile_header_t){0, TILE_RUNS, 0, 0};
    }
    header.layout |= bits << 8 | bits0 << 16 | bytes << 32;
    return header;
}

/* Where in its lane a row's bits begin. */
static int bit_of_row(tile_header_t header, int row)
{
    int bits = (int)(header.layout >> 8 & 0xff), bits0 = (int)(header.layout >> 16 & 0xff);
    return row == 0 ? 0 : bits0 + (row - 1) * bits;
}

static int bits_of_row(tile_header_t header, int row)
{
    return (int)(header.layout >> (row == 0 ? 16 : 8) & 0xff);
}

/* The byte of a lane's bit, and the place in it: words of a lane are 32 words apart. */
static size_t byte_of_bit(int bit, int lane, int width)
{
    int word = bit / (8 * width);
    return ((size_t)word * TILE_LANES + lane) * width + (size_t)(bit % (8 * width)) / 8;
}

static void pack(uint8_t *payload, int lane, int width, int at, int bits, uint64_t value)
{
    for (int i = 0; i < bits; i++)
        payload[byte_of_bit(at + i, lane, width)] |= (uint8_t)((value >> i & 1) << (at + i) % 8);
}

static uint64_t unpack(const uint8_t *payload, int lane, int width, int at, int bits)
{
    uint64_t value = 0;
    for (int i = 0; i < bits; i++)
        value |= (uint64_t)(payload[byte_of_bit(at + i, lane, width)] >> (at + i) % 8 & 1) << i;
    return value;
}

static void write_runs(const tile_t *tile, uint8_t *payload)
{
    uint8_t *at = payload + TILE_VALUES / 8;
    for (int i = 0; i < TILE_VALUES; i++) {
        if (i > 0 && tile->values[i] == tile->values[i - 1])
            continue;
        payload[i / 8] |= (uint8_t)(1 << i % 8);
        for (int b = 0; b < tile->width; b++)
            *at++ = (uint8_t)(tile->values[i] >> (8 * b));
    }
}

static void write_rows(const tile_t *tile, tile_header_t header, uint8_t *payload)
{
    int delta = (header.layout & 0xff) == TILE_DELTA;
    for (int i = 0; i < TILE_VALUES; i++) {
        int row = i / TILE_LANES;
        uint64_t value = tile->values[i] - (row == 0 ? header.first : header.reference);
        if (delta && row > 0)
            value -= tile->values[i - TILE_LANES];
        pack(payload, i % TILE_LANES, tile->width, bit_of_row(header, row), bits_of_row(header, row), value);
    }
}

size_t tile_bound(int width)
{
    return (size_t)TILE_VALUES * (size_t)width;
}

tiles_t tiles_compress(const uint8_t *input, size_t count, int width)
{
    tiles_t tiles = {NULL, NULL, (count + TILE_VALUES - 1) / TILE_VALUES, 0};
    tiles.headers = allocate(tiles.count * sizeof(tile_header_t));
    tiles.payload = allocate(tiles.count * tile_bound(width));
    for (size_t t = 0; t < tiles.count; t++) {
        tile_t tile = {width, {0}};
        for (size_t i = 0; i < TILE_VALUES; i++) {
            size_t index = t * TILE_VALUES + i;
            tile.values[i] = (uint64_t)load_value(input, index < count ? index : count - 1, width);
        }
        tile_header_t header = measure(&tile);
        header.offset = tiles.payload_size;
        size_t bytes = (size_t)(header.layout >> 32);
        uint8_t *payload = tiles.payload + header.offset;
        memset(payload, 0, bytes);
        if ((header.layout & 0xff) == TILE_RUNS)
            write_runs(&tile, payload);
        else
            write_rows(&tile, header, payload);
        tiles.headers[t] = header;
        tiles.payload_size += bytes;
    }
    return tiles;
}

/* The value at a place of a tile of runs: that of the last run that begins there or before. */
static uint64_t value_of_run(const uint8_t *payload, int index, int width)
{
    int run = -1;
    for (int i = 0; i <= index; i++)
        run += payload[i / 8] >> i % 8 & 1;
    return (uint64_t)load_value(payload + TILE_VALUES / 8, (size_t)run, width);
}

void tiles_decompress(const tiles_t *tiles, size_t count, int width, uint8_t *output)
{
    uint64_t above[TILE_LANES] = {0};
    for (size_t i = 0; i < tiles->count * TILE_VALUES && i < count; i++) {
        tile_header_t header = tiles->headers[i / TILE_VALUES];
        const uint8_t *payload = tiles->payload + header.offset;
        int mode = (int)(header.layout & 0xff);
        int lane = (int)(i % TILE_LANES), row = (int)(i % TILE_VALUES / TILE_LANES);
        uint64_t value;
        if (mode == TILE_RUNS) {
            value = value_of_run(payload, (int)(i % TILE_VALUES), width);
        } else {
            value = unpack(payload, lane, width, bit_of_row(header, row), bits_of_row(header, row));
            value += row == 0 ? header.first : header.reference;
            if (mode == TILE_DELTA && row > 0)
                value += above[lane];
        }
        above[lane] = value;
        for (int b = 0; b < width; b++)
            output[i * width + b] = (uint8_t)(value >> (8 * b));
    }
}

void tiles_free(tiles_t *tiles)
{
    free(tiles->headers);
    free(tiles->payload);
}
