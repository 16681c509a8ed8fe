/* Tiles of 1,024 values; README.md has the format. TILE_BYTES is the width of a value, 4 or 8. A tile
 * is 32 rows of 32 values, and 32 work-items have a lane of it each: no row needs another lane. */

#define LANES 32
#define ROWS 32
#define TILE_VALUES (LANES * ROWS)
#define TILES 4 /* of a work-group */
#define ALIGNMENT 128

#define MODE_PLAIN 0
#define MODE_DELTA 1
#define MODE_RUNS 2

/* On a GPU, rows whose loads do not wait for each other. Elsewhere it is the compiler's affair. */
#ifdef cl_nv_pragma_unroll
#define UNROLL _Pragma("unroll 8")
#else
#define UNROLL
#endif

#if TILE_BYTES == 8
typedef ulong word_t;
typedef long value_t;
#define LOWEST LONG_MIN
#define HIGHEST LONG_MAX
#else
typedef uint word_t;
typedef int value_t;
#define LOWEST INT_MIN
#define HIGHEST INT_MAX
#endif
#define WORD_BITS (8 * TILE_BYTES)

uint range_bits(value_t low, value_t high)
{
    return WORD_BITS - (uint)clz((word_t)high - (word_t)low);
}

/* Bytes of 32 lanes of so many bits, in whole words. */
uint packed_bytes(uint bits)
{
    return (bits + WORD_BITS - 1) / WORD_BITS * (LANES * TILE_BYTES);
}

value_t value_of(__global const value_t *input, ulong count, ulong at)
{
    return input[min(at, count - 1)];
}

/* Headers without offsets: which mode is smallest. (32, 4) work-items are 4 tiles. */
__kernel __attribute__((reqd_work_group_size(LANES, TILES, 1)))
void tile_measure(__global const value_t *input, ulong count, uint tiles, __global ulong4 *headers,
                  __global uint *sizes)
{
    __local value_t lows[TILES][LANES], highs[TILES][LANES];
    __local value_t delta_lows[TILES][LANES], delta_highs[TILES][LANES];
    __local value_t firsts[TILES][LANES];
    __local uint runs[TILES][LANES];
    uint lane = get_local_id(0), own = get_local_id(1);
    ulong tile = get_global_id(1);
    ulong start = tile * TILE_VALUES + lane;

    value_t first = value_of(input, count, start), above = first;
    value_t low = first, high = first, delta_low = HIGHEST, delta_high = LOWEST;
    uint begun = lane == 0 || first != value_of(input, count, start - 1);
    for (uint row = 1; row < ROWS; row++) {
        ulong at = start + row * LANES;
        value_t value = value_of(input, count, at);
        value_t delta = (value_t)((word_t)value - (word_t)above);
        low = min(low, value);
        high = max(high, value);
        delta_low = min(delta_low, delta);
        delta_high = max(delta_high, delta);
        begun += value != value_of(input, count, at - 1);
        above = value;
    }
    firsts[own][lane] = first;
    lows[own][lane] = low;
    highs[own][lane] = high;
    delta_lows[own][lane] = delta_low;
    delta_highs[own][lane] = delta_high;
    runs[own][lane] = begun;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (lane != 0 || tile >= tiles)
        return;

    value_t first_low = first, first_high = first;
    for (uint i = 1; i < LANES; i++) {
        first_low = min(first_low, firsts[own][i]);
        first_high = max(first_high, firsts[own][i]);
        low = min(low, lows[own][i]);
        high = max(high, highs[own][i]);
        delta_low = min(delta_low, delta_lows[own][i]);
        delta_high = max(delta_high, delta_highs[own][i]);
        begun += runs[own][i];
    }
    uint mode = MODE_PLAIN, bits = range_bits(low, high), first_bits = bits;
    uint bytes = packed_bytes(bits * ROWS);
    ulong reference = (word_t)low, first_reference = (word_t)low;

    uint delta_bits = range_bits(delta_low, delta_high), row_bits = range_bits(first_low, first_high);
    uint delta_bytes = packed_bytes(row_bits + (ROWS - 1) * delta_bits);
    if (delta_bytes < bytes) {
        mode = MODE_DELTA;
        bytes = delta_bytes;
        bits = delta_bits;
        first_bits = row_bits;
        reference = (word_t)delta_low;
        first_reference = (word_t)first_low;
    }
    uint run_bytes = TILE_VALUES / 8 + (begun * TILE_BYTES + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    if (run_bytes < bytes) {
        mode = MODE_RUNS;
        bytes = run_bytes;
        bits = first_bits = 0;
        reference = first_reference = 0;
    }
    ulong layout = (ulong)mode | (ulong)bits << 8 | (ulong)first_bits << 16 | (ulong)bytes << 32;
    headers[tile] = (ulong4)(0, layout, reference, first_reference);
    sizes[tile] = bytes;
}

#define SCAN_GROUP 256

/* The bytes of each 256 tiles. */
__kernel __attribute__((reqd_work_group_size(SCAN_GROUP, 1, 1)))
void tile_sums(__global const uint *sizes, uint tiles, __global ulong *sums)
{
    __local ulong partial[SCAN_GROUP];
    uint item = get_local_id(0), tile = get_global_id(0);
    partial[item] = tile < tiles ? sizes[tile] : 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint step = SCAN_GROUP / 2; step > 0; step /= 2) {
        if (item < step)
            partial[item] += partial[item + step];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (item == 0)
        sums[get_group_id(0)] = partial[0];
}

/* Each header's offset. */
__kernel __attribute__((reqd_work_group_size(SCAN_GROUP, 1, 1)))
void tile_offsets(__global const uint *sizes, uint tiles, __global const ulong *sums,
                  __global ulong4 *headers)
{
    __local ulong before[SCAN_GROUP];
    uint item = get_local_id(0), tile = get_global_id(0);

    ulong sum = 0;
    for (uint i = item; i < get_group_id(0); i += SCAN_GROUP)
        sum += sums[i];
    before[item] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint step = SCAN_GROUP / 2; step > 0; step /= 2) {
        if (item < step)
            before[item] += before[item + step];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    ulong start = before[0];
    barrier(CLK_LOCAL_MEM_FENCE);

    uint size = tile < tiles ? sizes[tile] : 0;
    before[item] = size;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint step = 1; step < SCAN_GROUP; step *= 2) {
        ulong other = item >= step ? before[item - step] : 0;
        barrier(CLK_LOCAL_MEM_FENCE);
        before[item] += other;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (tile < tiles)
        headers[tile].x = start + before[item] - size;
}

/* Packs each lane's bits one after another; words of a lane are 32 words apart. */
void pack_lane(__global const value_t *input, ulong count, ulong start, ulong4 header,
               __global word_t *words)
{
    uint mode = (uint)header.y & 0xff, bits = (uint)(header.y >> 8) & 0xff;
    uint row_bits = (uint)(header.y >> 16) & 0xff;
    word_t reference = (word_t)header.w, pending = 0, above = 0;
    uint filled = 0, word = 0;
    for (uint row = 0; row < ROWS; row++) {
        word_t value = (word_t)value_of(input, count, start + row * LANES);
        word_t packed = value - above - reference;
        if (row_bits > 0) {
            pending |= packed << filled;
            filled += row_bits;
        }
        if (filled >= WORD_BITS) {
            words[word * LANES] = pending;
            word++;
            filled -= WORD_BITS;
            pending = filled > 0 ? packed >> (row_bits - filled) : 0;
        }
        above = mode == MODE_DELTA ? value : 0;
        reference = (word_t)header.z;
        row_bits = bits;
    }
    if (filled > 0)
        words[word * LANES] = pending;
}

__kernel __attribute__((reqd_work_group_size(LANES, TILES, 1)))
void tile_pack(__global const value_t *input, ulong count, uint tiles, __global const ulong4 *headers,
               __global uchar *payload)
{
    __local uint begins[TILES][ROWS];
    uint lane = get_local_id(0), own = get_local_id(1);
    ulong tile = get_global_id(1);
    ulong start = tile * TILE_VALUES + lane;
    ulong4 header = tile < tiles ? headers[tile] : (ulong4)(0, 0, 0, 0);
    uint mode = (uint)header.y & 0xff;
    __global uchar *place = payload + header.x;

    begins[own][lane] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (mode == MODE_RUNS) {
        for (uint row = 0; row < ROWS; row++) {
            ulong at = start + row * LANES;
            bool begun = row + lane == 0 || value_of(input, count, at) != value_of(input, count, at - 1);
            if (begun)
                atomic_or(&begins[own][row], 1u << lane);
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (tile >= tiles)
        return;
    if (mode != MODE_RUNS) {
        pack_lane(input, count, start, header, (__global word_t *)place + lane);
        return;
    }
    ((__global uint *)place)[lane] = begins[own][lane];
    __global value_t *values = (__global value_t *)(place + TILE_VALUES / 8);
    uint before = 0;
    for (uint row = 0; row < ROWS; row++) {
        uint begun = begins[own][row];
        if (begun >> lane & 1)
            values[before + popcount(begun & ((1u << lane) - 1))] = value_of(input, count, start + row * LANES);
        before += popcount(begun);
    }
    /* Zeros up to the payload's end. */
    uint end = ((uint)(header.y >> 32) - TILE_VALUES / 8) / TILE_BYTES;
    for (uint i = before + lane; i < end; i += LANES)
        values[i] = 0;
}

/* A lane of a tile of plain values or deltas, `rows` of it. */
void unpack_lane(__local const word_t *words, ulong4 header, uint rows, __global word_t *output)
{
    uint bits = (uint)(header.y >> 8) & 0xff, row_bits = (uint)(header.y >> 16) & 0xff;
    word_t keep = ((uint)header.y & 0xff) == MODE_DELTA ? ~(word_t)0 : 0;
    word_t reference = (word_t)header.w, above = 0, current = 0;
    uint left = 0; /* bits of `current` that are not used */
    UNROLL
    for (uint row = 0; row < rows; row++) {
        word_t mask = row_bits > 0 ? ~(word_t)0 >> (WORD_BITS - row_bits) : 0;
        word_t packed = current;
        if (left < row_bits) {
            uint used = row_bits - left;
            word_t next = *words;
            words += LANES;
            packed |= next << left;
            current = used < WORD_BITS ? next >> used : 0;
            left = WORD_BITS - used;
        } else {
            current = row_bits < WORD_BITS ? current >> row_bits : 0;
            left -= row_bits;
        }
        word_t value = (above & keep) + reference + (packed & mask);
        output[row * LANES] = value;
        above = value;
        reference = (word_t)header.z;
        row_bits = bits;
    }
}

/* A lane of a tile of runs, `rows` of it. */
void unpack_runs(__local const uchar *place, uint lane, uint rows, __global word_t *output)
{
    __local const uint *begins = (__local const uint *)place;
    __local const word_t *values = (__local const word_t *)(place + TILE_VALUES / 8);
    uint before = 0;
    UNROLL
    for (uint row = 0; row < rows; row++) {
        uint begun = begins[row];
        uint run = before + popcount(begun & (0xffffffffu >> (31 - lane)));
        output[row * LANES] = values[run - 1];
        before += popcount(begun);
    }
}

/* Pieces of 16 bytes in the largest payload of a tile. */
#define PIECES (TILE_VALUES * TILE_BYTES / 16)

/* The payload comes into local memory whole, so that all of it is under way at once; then each lane is unpacked. */
__kernel __attribute__((reqd_work_group_size(LANES, TILES, 1)))
void tile_decompress(__global const uint4 *payload, __global const ulong4 *headers, uint tiles,
                     ulong count, __global word_t *output)
{
    __local uint4 staged[TILES][PIECES];
    uint lane = get_local_id(0), own = get_local_id(1);
    ulong tile = get_global_id(1);
    ulong start = tile * TILE_VALUES + lane;
    ulong4 header = tile < tiles ? headers[tile] : (ulong4)(0, 0, 0, 0);
    uint pieces = (uint)(header.y >> 32) / 16;
    UNROLL
    for (uint i = 0; i < PIECES / LANES; i++)
        if (i * LANES + lane < pieces)
            staged[own][i * LANES + lane] = payload[header.x / 16 + i * LANES + lane];
    barrier(CLK_LOCAL_MEM_FENCE);
    if (tile >= tiles || start >= count)
        return;
    uint rows = (uint)min((count - start + LANES - 1) / LANES, (ulong)ROWS);
    if (((uint)header.y & 0xff) != MODE_RUNS) {
        unpack_lane((__local const word_t *)staged[own] + lane, header, rows, output + start);
        return;
    }
    unpack_runs((__local const uchar *)staged[own], lane, rows, output + start);
}

/* ---- For FPGAs: 64 bytes of output an iteration ---- */

#define BLOCK_BYTES 64
#define PARTS (LANES * TILE_BYTES / BLOCK_BYTES) /* of a row */
#if TILE_BYTES == 8
typedef ulong8 block_t;
#else
typedef uint16 block_t;
#endif

/* Whole tiles of plain values and deltas, a work-item a tile. Made one work-item, it has a pipeline
 * that takes an iteration a cycle: no address depends on what was loaded but the header, each word is
 * loaded once, and what a row needs of the row above waits in a shift register. `output` has room for
 * whole tiles. */
__kernel void tile_rows(__global const block_t *payload, __global const ulong4 *headers, uint tiles,
                        __global block_t *output)
{
    uint tile = get_global_id(0);
    if (tile >= tiles)
        return;
    ulong4 header = headers[tile];
    if (((uint)header.y & 0xff) == MODE_RUNS)
        return;

    bool delta = ((uint)header.y & 0xff) == MODE_DELTA;
    uint bits = (uint)(header.y >> 8) & 0xff, first_bits = (uint)(header.y >> 16) & 0xff;
    ulong words = header.x / BLOCK_BYTES;
    block_t held[PARTS], above[PARTS]; /* the word that is not used up, the last value; the oldest first */
    for (uint i = 0; i < PARTS; i++)
        held[i] = above[i] = (block_t)0;

    for (uint i = 0; i < ROWS * PARTS; i++) {
        uint row = i / PARTS, part = i % PARTS;
        uint row_bits = row == 0 ? first_bits : bits;
        uint bit = row == 0 ? 0 : first_bits + (row - 1) * bits;
        uint used = bit % WORD_BITS;
        uint loaded = (bit + WORD_BITS - 1) / WORD_BITS, needed = (bit + row_bits + WORD_BITS - 1) / WORD_BITS;

        block_t word = held[0];
        block_t packed = held[0] >> (word_t)used;
        if (needed > loaded) {
            word = payload[words + loaded * PARTS + part];
            packed = used > 0 ? packed | word << (word_t)(WORD_BITS - used) : word;
        }
        word_t mask = row_bits > 0 ? ~(word_t)0 >> (WORD_BITS - row_bits) : 0;
        block_t value = (packed & mask) + (word_t)(row == 0 ? header.w : header.z);
        if (delta && row > 0)
            value += above[0];
        output[(ulong)tile * (ROWS * PARTS) + i] = value;

        #pragma unroll
        for (uint j = 0; j + 1 < PARTS; j++) {
            held[j] = held[j + 1];
            above[j] = above[j + 1];
        }
        held[PARTS - 1] = word;
        above[PARTS - 1] = value;
    }
}

/* Beside tile_rows: the tiles of runs. */
__kernel __attribute__((reqd_work_group_size(LANES, TILES, 1)))
void tile_runs(__global const uint4 *payload, __global const ulong4 *headers, uint tiles, ulong count,
               __global word_t *output)
{
    __local uint4 staged[TILES][PIECES];
    uint lane = get_local_id(0), own = get_local_id(1);
    ulong tile = get_global_id(1);
    ulong start = tile * TILE_VALUES + lane;
    ulong4 header = tile < tiles ? headers[tile] : (ulong4)(0, 0, 0, 0);
    uint pieces = ((uint)header.y & 0xff) == MODE_RUNS ? (uint)(header.y >> 32) / 16 : 0;
    for (uint i = lane; i < pieces; i += LANES)
        staged[own][i] = payload[header.x / 16 + i];
    barrier(CLK_LOCAL_MEM_FENCE);
    if (pieces == 0 || start >= count)
        return;
    uint rows = (uint)min((count - start + LANES - 1) / LANES, (ulong)ROWS);
    unpack_runs((__local const uchar *)staged[own], lane, rows, output + start);
}

/* The copy that decompressors are held against. */
__kernel void copy(__global const uint4 *input, ulong pieces, __global uint4 *output)
{
    ulong at = get_global_id(0);
    if (at < pieces)
        output[at] = input[at];
}
