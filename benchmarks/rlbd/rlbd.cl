/* RLBD: compression, the directory, and two decompressors. The format is in README.md, the sizes
 * come from the host's build options (format.h): PARTITION, SLOT, LOOKAHEAD, FRAME_DELTA_BYTES.
 *
 * All is in words of four bytes, the smallest value there is. */

#define PARTITION_WORDS (PARTITION / 4)
#define HEADER_BYTES 16

/* On a GPU, loads that do not wait for each other. Elsewhere it is the compiler's affair. */
#ifdef cl_nv_pragma_unroll
#define UNROLL _Pragma("unroll 8")
#else
#define UNROLL
#endif

/* ---- Compression: 32 work-items a partition, in local memory ---- */

#define COMPRESS_LANES 32

/* Eight bytes at a word: one access where they are aligned. */
ulong pair_at(__local const uint *words, uint at)
{
    if (at % 2 == 0)
        return ((__local const ulong *)words)[at / 2];
    return (ulong)words[at] | (ulong)words[at + 1] << 32;
}

/* The value of `base` bytes at a word, sign-extended. */
long value_at(__local const uint *words, uint at, uint base)
{
    return base == 4 ? (long)(int)words[at] : (long)pair_at(words, at);
}

/* The difference to a base, in the base's width. */
long delta_to(long value, long base_value, uint base)
{
    long delta = (long)((ulong)value - (ulong)base_value);
    return base == 4 ? (long)(int)delta : delta;
}

/* The bits that must be equal to the sign, each set if it is not. */
ulong reach(long delta)
{
    return (ulong)(delta ^ (delta >> 63));
}

bool fits(ulong reached, uint bytes)
{
    return reached >> (8 * bytes - 1) == 0;
}

/* Schemas by ratio, the best first: a schema's place is its kind. The last one fits everything. */
__constant uint SCHEMAS[] = {0x0800, 0x0801, 0x0802, 0x0401, 0x0804, 0x0402, 0x0808};
#define KIND_LAST 6
#define KIND_TAIL 3 /* of four bytes that are left over */

/* A frame of the last kind: where nothing else fits, the next is likely to be one, too. */
#define PLAIN_VALUES (FRAME_DELTA_BYTES / 8)
#define PLAIN_WORDS (2 * PLAIN_VALUES)
#define PLAIN_BYTES (HEADER_BYTES + 8 * (PLAIN_VALUES - 1))

/* The kinds, as bits, that do not fit value `i` of a frame that begins at a word: the 8-byte and the 4-byte one. */
uint misfits(__local const uint *words, uint at, uint i, uint remaining)
{
    uint kinds = 0;
    if (2 * i + 1 < remaining) {
        ulong reached = reach(delta_to((long)pair_at(words, at + 2 * i), (long)pair_at(words, at), 8));
        kinds |= pair_at(words, at + 2 * i) != pair_at(words, at);
        kinds |= !fits(reached, 1) << 1 | !fits(reached, 2) << 2 | !fits(reached, 4) << 4;
    }
    if (i < remaining) {
        ulong reached = reach(delta_to((int)words[at + i], (int)words[at], 4));
        kinds |= !fits(reached, 1) << 3 | !fits(reached, 2) << 5;
    }
    return kinds;
}

/* How many values a frame of this schema can hold, the base included. */
uint most_values(uint remaining, uint base, uint delta)
{
    uint limit = remaining / (base / 4);
    return delta > 0 ? min(limit, (uint)FRAME_DELTA_BYTES / delta) : limit;
}

/* Writes the lowest bytes of a value at a byte of a slot that holds zeros there. Others write beside it. */
void put(__local uint *slot, uint place, ulong value, uint bytes)
{
    if (bytes == 8 && place % 8 == 0) {
        ((__local ulong *)slot)[place / 8] = value;
        return;
    }
    uint word = place / 4, shift = 8 * (place % 4);
    ulong kept = value & ~0UL >> (64 - 8 * bytes), low = kept << shift;
    atomic_or(&slot[word], (uint)low);
    if (shift + 8 * bytes > 32)
        atomic_or(&slot[word + 1], (uint)(low >> 32));
    if (shift + 8 * bytes > 64)
        atomic_or(&slot[word + 2], (uint)(kept >> (64 - shift)));
}

/* The kinds, as bits, but for the last one, that fit all of the first few values. */
uint fitting(__local const uint *bad)
{
    uint all_bad = 0;
    for (uint i = 0; i < LOOKAHEAD; i++)
        all_bad |= bad[i];
    return ~all_bad & ((1u << KIND_LAST) - 1);
}

/* Writes the base of a frame and what its header says. */
void put_header(__local uint *slot, uint place, ulong base_value, uint schema, uint count)
{
    put(slot, place, base_value, 8);
    put(slot, place + 8, (ulong)schema | (ulong)(count - 1) << 16, 8);
}

/* The frames follow one another. A work-item has a value of the next one: all tell which kinds do not fit the first
 * few, and, once the kind is known, where it ends, and write their deltas. */
__kernel __attribute__((reqd_work_group_size(COMPRESS_LANES, 1, 1)))
void rlbd_compress(__global const ulong *input, ulong words, __global ulong *slots, __global uint *sizes)
{
    __local ulong staged[PARTITION / 8], packed[SLOT / 8];
    /* Of this frame, the next and the one before: who is behind still reads that. */
    __local uint bad[3][COMPRESS_LANES / PLAIN_VALUES * LOOKAHEAD], ends[3];
    __local const uint *values = (__local const uint *)staged;
    __local uint *slot = (__local uint *)packed;
    uint lane = get_local_id(0);
    ulong partition = get_group_id(0);
    ulong start = partition * PARTITION_WORDS;
    uint end = (uint)min(words - start, (ulong)PARTITION_WORDS);

    UNROLL
    for (uint i = lane; i < PARTITION / 8; i += COMPRESS_LANES)
        if (2 * i < end)
            staged[i] = input[start / 2 + i];
    for (uint i = lane; i < SLOT / 8; i += COMPRESS_LANES)
        packed[i] = 0;
    if (lane < 3)
        ends[lane] = UINT_MAX;
    barrier(CLK_LOCAL_MEM_FENCE);

    /* Of two frames that are looked at side by side: this work-item's, and the value in it. */
    uint own_frame = lane / PLAIN_VALUES, own_value = lane % PLAIN_VALUES;
    bool was_plain = false;
    uint place = 0, frame = 0;
    for (uint done = 0; done < end;) {
        uint remaining = end - done, next = (frame + 1) % 3;
        /* A chain of frames takes half as long where two of them are made at a time. */
        if (was_plain && remaining >= 2 * PLAIN_WORDS) {
            uint begin = done + own_frame * PLAIN_WORDS;
            if (own_value < LOOKAHEAD)
                bad[frame][own_frame * LOOKAHEAD + own_value] = misfits(values, begin, own_value + 1, end - begin);
            if (lane == 0)
                ends[next] = UINT_MAX;
            barrier(CLK_LOCAL_MEM_FENCE);
            uint good = fitting(bad[frame]) | fitting(bad[frame] + LOOKAHEAD);
            frame = next;
            was_plain = good == 0;
            if (was_plain) {
                uint own_place = place + own_frame * PLAIN_BYTES;
                ulong base_value = pair_at(values, begin);
                ulong difference = pair_at(values, begin + 2 * own_value) - base_value;
                if (own_value == 0)
                    put_header(slot, own_place, base_value, SCHEMAS[KIND_LAST], PLAIN_VALUES);
                else
                    put(slot, own_place + HEADER_BYTES + 8 * (own_value - 1), difference, 8);
                place += 2 * PLAIN_BYTES;
                done += 2 * PLAIN_WORDS;
            }
            continue;
        }
        uint own_bad = misfits(values, done, lane + 1, remaining);
        if (lane < LOOKAHEAD)
            bad[frame][lane] = own_bad;
        if (lane == 0)
            ends[next] = UINT_MAX;
        barrier(CLK_LOCAL_MEM_FENCE);
        uint good = fitting(bad[frame]);
        uint kind = good == 0 ? KIND_LAST : popcount((good & -good) - 1);
        if (remaining < 2)
            kind = KIND_TAIL;
        uint schema = SCHEMAS[kind], base = schema >> 8, delta = schema & 0xff;
        uint count = most_values(remaining, base, delta);
        for (uint i = lane + 1; i < count; i += COMPRESS_LANES) {
            if (i > COMPRESS_LANES)
                own_bad = misfits(values, done, i, remaining);
            if (own_bad >> kind & 1) {
                atomic_min(&ends[frame], i);
                break;
            }
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        count = min(count, ends[frame]);
        frame = next;

        ulong base_value = (ulong)value_at(values, done, base);
        if (lane == 0)
            put_header(slot, place, base == 4 ? (ulong)(uint)base_value : base_value, schema, count);
        place += HEADER_BYTES;
        if (delta > 0) {
            for (uint i = 1 + lane; i < count; i += COMPRESS_LANES) {
                ulong difference = (ulong)value_at(values, done + i * (base / 4), base) - base_value;
                put(slot, place + (i - 1) * delta, difference, delta);
            }
            place += (count - 1) * delta;
        }
        done += count * (base / 4);
        was_plain = kind == KIND_LAST;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (lane == 0)
        sizes[partition] = place;
    /* With zeros up to a multiple of 16. */
    for (uint i = lane; i < (place + 15) / 16 * 2; i += COMPRESS_LANES)
        slots[partition * (SLOT / 8) + i] = packed[i];
}

/* ---- The directory ---- */

#define SCAN_GROUP 256

/* What a partition takes in the stream, in pieces of 16 bytes. */
uint pieces_of(__global const uint *sizes, uint partition, uint partitions)
{
    return partition < partitions ? (sizes[partition] + 15) / 16 : 0;
}

/* The pieces of each 256 partitions. */
__kernel __attribute__((reqd_work_group_size(SCAN_GROUP, 1, 1)))
void rlbd_sums(__global const uint *sizes, uint partitions, __global ulong *sums)
{
    __local ulong partial[SCAN_GROUP];
    uint item = get_local_id(0);
    partial[item] = pieces_of(sizes, get_global_id(0), partitions);
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint step = SCAN_GROUP / 2; step > 0; step /= 2) {
        if (item < step)
            partial[item] += partial[item + step];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (item == 0)
        sums[get_group_id(0)] = partial[0];
}

/* An entry for each partition, after the last one's frames. */
__kernel __attribute__((reqd_work_group_size(SCAN_GROUP, 1, 1)))
void rlbd_directory(__global const uint *sizes, uint partitions, __global const ulong *sums,
                    uint groups, __global ulong2 *stream, __global ulong *total)
{
    __local ulong before[SCAN_GROUP], all[SCAN_GROUP];
    uint item = get_local_id(0), group = get_group_id(0), partition = get_global_id(0);

    ulong sum_before = 0, sum_all = 0;
    for (uint i = item; i < groups; i += SCAN_GROUP) {
        ulong sum = sums[i];
        sum_before += i < group ? sum : 0;
        sum_all += sum;
    }
    before[item] = sum_before;
    all[item] = sum_all;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint step = SCAN_GROUP / 2; step > 0; step /= 2) {
        if (item < step) {
            before[item] += before[item + step];
            all[item] += all[item + step];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    ulong start = before[0], pieces = all[0];
    barrier(CLK_LOCAL_MEM_FENCE);

    /* The sum of this group's partitions up to each. */
    uint own = pieces_of(sizes, partition, partitions);
    before[item] = own;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint step = 1; step < SCAN_GROUP; step *= 2) {
        ulong other = item >= step ? before[item - step] : 0;
        barrier(CLK_LOCAL_MEM_FENCE);
        before[item] += other;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (partition < partitions) {
        ulong source = 16 * (start + before[item] - own);
        ulong entry = pieces + 2 * (ulong)partition;
        stream[entry] = (ulong2)(source, (ulong)partition * PARTITION);
        stream[entry + 1] = (ulong2)(sizes[partition], 0);
    }
    if (get_global_id(0) == 0)
        total[0] = 16 * pieces;
}

/* Each partition from its slot to its place; a work-group a partition. */
__kernel void rlbd_gather(__global const ulong2 *slots, __global const ulong *total,
                          __global ulong2 *stream)
{
    ulong partition = get_group_id(0);
    ulong entry = total[0] / 16 + 2 * partition;
    ulong place = stream[entry].x / 16;
    uint pieces = ((uint)stream[entry + 1].x + 15) / 16;
    for (uint i = get_local_id(0); i < pieces; i += get_local_size(0))
        stream[place + i] = slots[partition * (SLOT / 16) + i];
}

/* ---- Decompression, as in the thesis: a work-group a partition, frame after frame ---- */

ulong load_bytes(__global const uchar *bytes, uint count)
{
    ulong value = 0;
    for (uint i = 0; i < count; i++)
        value |= (ulong)bytes[i] << (8 * i);
    return value;
}

/* A number of `bytes` bytes in two's complement. */
ulong sign_extended(ulong value, uint bytes)
{
    uint shift = 64 - 8 * bytes;
    return (ulong)((long)(value << shift) >> shift);
}

/* Takes any directory. `directory` is where it begins, in bytes; `words` is what is to be written. */
__kernel void rlbd_decompress_plain(__global const uchar *stream, ulong directory, uint partitions,
                                    ulong words, __global uint *output)
{
    uint partition = get_group_id(0);
    __global const ulong *entry = (__global const ulong *)(stream + directory) + 4 * (ulong)partition;
    __global const uchar *frame = stream + entry[0];
    __global uint *target = output + entry[1] / 4;
    ulong room = (partition + 1 < partitions ? entry[5] / 4 : words) - entry[1] / 4;
    ulong left = entry[2];
    long at = -(long)(entry[3] / 4); /* of the frame in the output, in words */

    while (at < (long)room && left >= 16) {
        ulong base_value = load_bytes(frame, 8);
        uint delta = frame[8], stride = frame[9] / 4;
        ulong values = load_bytes(frame + 10, 6) + 1;
        ulong first = at < 0 ? (ulong)-at / stride : 0;
        ulong last = min(values, (ulong)((long)room - at + stride - 1) / stride);

        for (ulong i = first + get_local_id(0); i < last; i += get_local_size(0)) {
            ulong value = base_value;
            if (i > 0 && delta > 0)
                value += sign_extended(load_bytes(frame + 16 + (i - 1) * delta, delta), delta);
            long word = at + (long)(i * stride);
            if (word >= 0)
                target[word] = (uint)value;
            if (stride == 2 && word + 1 >= 0 && word + 1 < (long)room)
                target[word + 1] = (uint)(value >> 32);
        }
        ulong bytes = 16 + (values - 1) * delta;
        if (bytes > left)
            break;
        at += (long)(values * stride);
        frame += bytes;
        left -= bytes;
    }
}

/* ---- Decompression, fast: for directories as rlbd_directory makes them ---- */

#define LANES 32
#define MOST_FRAMES (SLOT / 16)
#define MARKS (PARTITION_WORDS / 32)

/* Four bytes at any byte of local memory. */
uint unaligned(__local const uint *words, uint byte)
{
    ulong both = (ulong)words[byte / 4] | (ulong)words[byte / 4 + 1] << 32;
    return (uint)(both >> (8 * (byte % 4)));
}

/* What is kept of a frame: its first word of output, its first byte, whether its base has eight
 * bytes, and its bytes a delta. */
uint frame_entry(uint word, uint byte, uint wide, uint delta)
{
    return word | byte << 12 | wide << 26 | delta << 27;
}

#define ENTRY_WORD(entry) ((entry) & 0xfff)
#define ENTRY_BYTE(entry) ((entry) >> 12 & 0x3fff)
#define ENTRY_WIDE(entry) ((entry) >> 26 & 1)
#define ENTRY_DELTA(entry) ((entry) >> 27)

/* Follows the chain of a partition's headers. Returns the number of frames; an entry after the last
 * has the words that they make. */
uint walk(__local const uint *packed, uint size, uint room, __local uint *entries)
{
    uint frames = 0, byte = 0, word = 0;
    while (byte + 16 <= size && word < room && frames < MOST_FRAMES) {
        uint low = unaligned(packed, byte + 8), high = unaligned(packed, byte + 12);
        uint delta = low & 0xff, wide = low >> 11 & 1;
        uint count = low >> 16;
        uint end = byte + 16 + count * delta;
        if (end > size || high != 0)
            break;
        entries[frames] = frame_entry(word, byte, wide, delta);
        frames++;
        word += (count + 1) << wide;
        byte = end;
    }
    entries[frames] = min(word, room);
    return frames;
}

/* The frame of a word: how many begin there or before it, less one. */
uint frame_of(__local const uint *marks, __local const ushort *before, uint word)
{
    uint begun = marks[word / 32] & (0xffffffffu >> (31 - word % 32));
    return before[word / 32] + popcount(begun) - 1;
}

/* A word of a frame. */
uint word_of_frame(__local const uint *packed, uint entry, uint word)
{
    uint byte = ENTRY_BYTE(entry), wide = ENTRY_WIDE(entry), delta = ENTRY_DELTA(entry);
    uint within = word - ENTRY_WORD(entry), index = within >> wide;
    uint low = unaligned(packed, byte), high = unaligned(packed, byte + 4);
    if (index > 0 && delta > 0) {
        uint at = byte + 16 + (index - 1) * delta;
        uint bits = unaligned(packed, at);
        ulong difference = delta == 8 ? (ulong)bits | (ulong)unaligned(packed, at + 4) << 32
                                      : sign_extended(bits, delta);
        ulong value = ((ulong)low | (ulong)high << 32) + difference;
        low = (uint)value;
        high = (uint)(value >> 32);
    }
    return wide & within ? high : low;
}

/* Four words of a frame of eight-byte bases, of which the first is a low half. */
uint4 wide_words(__local const uint *packed, uint entry, uint word)
{
    uint byte = ENTRY_BYTE(entry), delta = ENTRY_DELTA(entry);
    uint index = (word - ENTRY_WORD(entry)) / 2;
    uint at = byte + 16 + index * delta - delta; /* for the base itself: in the header, not used */
    ulong base = (ulong)unaligned(packed, byte) | (ulong)unaligned(packed, byte + 4) << 32;
    ulong first = 0, second = 0;
    if (delta == 1) {
        uint bits = unaligned(packed, at);
        first = (ulong)(long)(char)bits;
        second = (ulong)(long)(char)(bits >> 8);
    } else if (delta == 2) {
        uint bits = unaligned(packed, at);
        first = (ulong)(long)(short)bits;
        second = (ulong)(long)(short)(bits >> 16);
    } else if (delta == 4) {
        first = (ulong)(long)(int)unaligned(packed, at);
        second = (ulong)(long)(int)unaligned(packed, at + 4);
    } else if (delta == 8) {
        first = (ulong)unaligned(packed, at) | (ulong)unaligned(packed, at + 4) << 32;
        second = (ulong)unaligned(packed, at + 8) | (ulong)unaligned(packed, at + 12) << 32;
    }
    first = base + (index > 0 ? first : 0);
    second = base + second;
    return (uint4)((uint)first, (uint)(first >> 32), (uint)second, (uint)(second >> 32));
}

/* Four words of a frame of four-byte bases. */
uint4 narrow_words(__local const uint *packed, uint entry, uint word)
{
    uint byte = ENTRY_BYTE(entry), delta = ENTRY_DELTA(entry);
    uint index = word - ENTRY_WORD(entry);
    uint at = byte + 16 + index * delta - delta;
    uint base = unaligned(packed, byte), bits = unaligned(packed, at);
    uint4 differences;
    if (delta == 1) {
        differences = (uint4)((uint)(int)(char)bits, (uint)(int)(char)(bits >> 8),
                              (uint)(int)(char)(bits >> 16), (uint)((int)bits >> 24));
    } else {
        uint more = unaligned(packed, at + 4);
        differences = (uint4)((uint)(int)(short)bits, (uint)((int)bits >> 16),
                              (uint)(int)(short)more, (uint)((int)more >> 16));
    }
    if (index == 0)
        differences.x = 0;
    return base + differences;
}

__kernel __attribute__((reqd_work_group_size(LANES, GROUP_PARTITIONS, 1)))
void rlbd_decompress(__global const uint4 *stream, ulong directory, uint partitions, ulong words,
                     __global uint4 *output)
{
    __local uint4 packed[GROUP_PARTITIONS][SLOT / 16 + 2];
    __local uint entries[GROUP_PARTITIONS][MOST_FRAMES + 1];
    __local uint marks[GROUP_PARTITIONS][MARKS];
    __local ushort before[GROUP_PARTITIONS][MARKS];
    __local uint sizes[GROUP_PARTITIONS], rooms[GROUP_PARTITIONS], frames[GROUP_PARTITIONS];

    uint lane = get_local_id(0), own = get_local_id(1);
    ulong partition = get_global_id(1);
    uint size = 0, room = 0;
    ulong target = partition * PARTITION_WORDS;
    if (partition < partitions) {
        __global const ulong2 *entry = (__global const ulong2 *)stream + directory / 16 + 2 * partition;
        ulong source = entry[0].x / 16;
        size = (uint)min(entry[1].x, (ulong)SLOT);
        room = (uint)min(words - target, (ulong)PARTITION_WORDS);
        for (uint i = lane; i < (size + 15) / 16; i += LANES)
            packed[own][i] = stream[source + i];
    }
    for (uint i = lane; i < MARKS; i += LANES)
        marks[own][i] = 0;
    if (lane == 0) {
        sizes[own] = size;
        rooms[own] = room;
    }
    barrier(CLK_LOCAL_MEM_FENCE);

    /* The chains of all partitions side by side, in lanes of one warp. */
    if (own == 0 && lane < GROUP_PARTITIONS)
        frames[lane] = walk((__local const uint *)packed[lane], sizes[lane], rooms[lane], entries[lane]);
    barrier(CLK_LOCAL_MEM_FENCE);

    uint count = frames[own];
    for (uint i = lane; i <= count; i += LANES) {
        uint word = i < count ? ENTRY_WORD(entries[own][i]) : (uint)PARTITION_WORDS;
        uint previous = i > 0 ? ENTRY_WORD(entries[own][i - 1]) / 32 + 1 : 0;
        for (uint mark = previous; mark <= min(word / 32, (uint)MARKS - 1); mark++)
            before[own][mark] = (ushort)i;
        if (i < count)
            atomic_or(&marks[own][word / 32], 1u << (word % 32));
    }
    barrier(CLK_LOCAL_MEM_FENCE);

    __local const uint *bytes = (__local const uint *)packed[own];
    uint made = count > 0 ? entries[own][count] : 0;
    for (uint word = 4 * lane; word < made; word += 4 * LANES) {
        uint frame = frame_of(marks[own], before[own], word);
        uint entry = entries[own][frame];
        uint end = ENTRY_WORD(entries[own][frame + 1]);
        uint wide = ENTRY_WIDE(entry);
        uint4 four;
        if (word + 4 <= end && wide && ((word - ENTRY_WORD(entry)) & 1) == 0) {
            four = wide_words(bytes, entry, word);
        } else if (word + 4 <= end && !wide) {
            four = narrow_words(bytes, entry, word);
        } else {
            uint some[4];
            for (uint i = 0; i < 4; i++) {
                uint at = min(word + i, made - 1);
                some[i] = word_of_frame(bytes, entries[own][frame_of(marks[own], before[own], at)], at);
            }
            four = (uint4)(some[0], some[1], some[2], some[3]);
        }
        output[(target + word) / 4] = four;
    }
}
