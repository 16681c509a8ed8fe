/* RLBD and tile: two formats for integers that lie close together. README.md describes them.
 *
 * What stands here is shared by the reference on the CPU (rlbd_reference.c, tile_reference.c), the
 * generators (data.c) and the host (rlbd.c). All numbers in both formats are little-endian. */
#ifndef RLBD_FORMAT_H
#define RLBD_FORMAT_H

#include <stddef.h>
#include <stdint.h>

/* Bytes of output that one entry of the directory stands for: a multiple of 256, at most 8192. */
#ifndef RLBD_PARTITION
#define RLBD_PARTITION 4096
#endif

/* RLBD: frames of a header and deltas, in partitions that a directory lists. */
enum {
    HEADER_BYTES = 16,
    FRAME_DELTA_BYTES = 128, /* values of a frame: at most FRAME_DELTA_BYTES / delta bytes */
    PARTITION = RLBD_PARTITION,
    LOOKAHEAD = 8,           /* values after the base that a schema must fit to be chosen */
    /* What a partition takes at most: full frames of 8-byte deltas, and two frames at its end. */
    SLOT = PARTITION * 17 / 16 + 2 * HEADER_BYTES
};

/* Where a partition's frames lie. Bytes, all four. */
typedef struct {
    uint64_t source; /* of the first frame, from the start of the stream */
    uint64_t target; /* of the first byte to be written, from the start of the output */
    uint64_t size;   /* of the frames, compressed */
    uint64_t warmup; /* output of the first frame that comes before `target` */
} partition_t;

/* A whole stream: frames, then zeros up to a multiple of 16, then the directory. */
typedef struct {
    uint8_t *bytes;
    size_t size;
    size_t count; /* of partitions */
    size_t output_size;
} stream_t;

/* The frames of `size` bytes at `input`, written to `output`, which has room for
 * rlbd_bound(size). Returns their bytes. A byte missing at the end counts as zero. */
size_t rlbd_compress(const uint8_t *input, size_t size, int lookahead, uint8_t *output);

/* Room for the frames of `size` bytes, with any lookahead. */
size_t rlbd_bound(size_t size);

/* Writes `room` bytes of what `size` bytes of frames mean, after `warmup` bytes of them. Returns 0,
 * or -1 if they are no frames or too few. */
int rlbd_decompress(const uint8_t *frames, size_t size, uint64_t warmup, uint8_t *output, size_t room);

/* A stream in partitions of PARTITION bytes, each at a multiple of 16. */
stream_t rlbd_stream(const uint8_t *input, size_t size, int lookahead);

/* A stream of one chain of frames, whose directory was made afterwards: its entries begin inside of
 * frames and have warm-ups. */
stream_t rlbd_serial_stream(const uint8_t *input, size_t size, int lookahead);

const partition_t *stream_directory(const stream_t *stream);
int stream_decompress(const stream_t *stream, uint8_t *output);
void stream_free(stream_t *stream);

/* Tiles of 1,024 values, each packed in its own way; their headers are an array of their own. */
enum { TILE_VALUES = 1024, TILE_LANES = 32, TILE_ROWS = 32, TILE_ALIGNMENT = 128 };

enum { TILE_PLAIN = 0, TILE_DELTA = 1, TILE_RUNS = 2 };

typedef struct {
    uint64_t offset;    /* of the payload, in bytes */
    uint64_t layout;    /* mode | bits of a row << 8 | bits of row 0 << 16 | payload's bytes << 32 */
    uint64_t reference; /* added to each unpacked value or delta */
    uint64_t first;     /* added to each unpacked value of row 0 */
} tile_header_t;

typedef struct {
    tile_header_t *headers;
    uint8_t *payload;
    size_t count, payload_size;
} tiles_t;

/* Values of 4 or 8 bytes (`width`), `count` of them. */
tiles_t tiles_compress(const uint8_t *input, size_t count, int width);
void tiles_decompress(const tiles_t *tiles, size_t count, int width, uint8_t *output);
void tiles_free(tiles_t *tiles);

/* Room for a tile's payload. */
size_t tile_bound(int width);

/* Inputs, by name: fills `bytes` and returns the width of its values in bytes; 0 if there is no
 * such input. */
int generate_data(const char *name, uint64_t seed, uint8_t *output, size_t bytes);

/* The names, ended by NULL. */
extern const char *const data_names[];

/* Memory, or an error message and exit status 2. */
void *allocate(size_t bytes);

#endif
