/* RLBD's decompressor for FPGAs: an iteration a cycle, 64 bytes of output each. The format is in
 * README.md; PARTITION and SLOT come from the host's build options (format.h).
 *
 * Where a frame begins depends on the header before it. So an iteration takes a step of one
 * partition, and the next iteration one of the next partition: SLOTS partitions take turns, and each
 * has SLOTS iterations for a step. What a step needs of the one before waits in shift registers.
 *
 * All goes in rounds of at least ROUND iterations. Round r reads the directory of batch r, which are
 * SLOTS partitions, loads the frames of batch r - 2, decompresses batch r - 4, and stores the output
 * of batch r - 6. So external memory is read and written row after row, and what one iteration puts
 * into memory on the chip another one takes out a round later or more: thousands of iterations,
 * more than a pipeline has under way. That is why `ivdep` holds. */

#define ROW_BYTES 64
#define ROW_WORDS 16
#define PARTITION_WORDS (PARTITION / 4)
#define PARTITION_ROWS (PARTITION / ROW_BYTES)
#define SLOTS (262144 / PARTITION)
#define ROUND (SLOTS * PARTITION_ROWS)
#define HEADER_BYTES 16

/* Rows of input on the chip: those of three batches, and as many as keep rounds apart. */
#define HELD 16384
#if 3 * (SLOTS * SLOT / ROW_BYTES + 1) > HELD || ROUND < 2048
#error "batches are too large or too small"
#endif
/* Batches whose directory, and whose output, is on the chip. */
#define LISTED 8
#define MADE 4

#define DELTA(head) ((uint)(head) & 0xff)
#define WIDE(head) ((uint)(head) >> 11 & 1)
#define COUNT(head) (min((head) >> 16, (ulong)PARTITION_WORDS) + 1)

/* A window without its first `bytes % 32` bytes. What comes after it are zeros. */
ulong16 without_few(ulong16 window, uint bytes)
{
    ulong shift = 8 * (bytes & 7);
    if (bytes & 16)
        window = (ulong16)(window.s23456789, window.sabcd, window.sef, (ulong2)(0));
    if (bytes & 8)
        window = (ulong16)(window.s12345678, window.s9abc, window.sde, window.sf, 0);
    ulong16 next = (ulong16)(window.s12345678, window.s9abc, window.sde, window.sf, 0);
    return window >> shift | next << 1UL << (63 - shift);
}

/* The same, fewer than 128. */
ulong16 without(ulong16 window, uint bytes)
{
    if (bytes & 64)
        window = (ulong16)(window.s89abcdef, (ulong8)(0));
    if (bytes & 32)
        window = (ulong16)(window.s456789ab, window.scdef, (ulong4)(0));
    return without_few(window, bytes);
}

/* Lanes moved up; the last ones come in at the bottom. */
uint16 turned(uint16 lanes, uint places)
{
    if (places & 8)
        lanes = (uint16)(lanes.hi, lanes.lo);
    if (places & 4)
        lanes = (uint16)(lanes.scdef, lanes.s01234567, lanes.s89ab);
    if (places & 2)
        lanes = (uint16)(lanes.sef, lanes.s01234567, lanes.s89ab, lanes.scd);
    if (places & 1)
        lanes = (uint16)(lanes.sf, lanes.s01234567, lanes.s89ab, lanes.scd, lanes.se);
    return lanes;
}

/* The next 16 words of a frame, from the deltas of its next values. At its `start`, the first value is the base. */
uint16 words_of(ulong base, ulong head, ulong8 deltas, bool start)
{
    uint size = DELTA(head);
    if (WIDE(head)) {
        ulong8 wide = 0;
        if (size == 1)
            wide = as_ulong8(convert_long8(as_char8(deltas.s0)));
        else if (size == 2)
            wide = as_ulong8(convert_long8(as_short8(deltas.s01)));
        else if (size == 4)
            wide = as_ulong8(convert_long8(as_int8(deltas.s0123)));
        else if (size == 8)
            wide = deltas;
        if (start)
            wide = (ulong8)(0, wide.s0123, wide.s45, wide.s6);
        return as_uint16(base + wide);
    }
    int16 narrow = size == 1 ? convert_int16(as_char16(deltas.s01)) : convert_int16(as_short16(deltas.s0123));
    if (start)
        narrow = (int16)(0, narrow.s01234567, narrow.s89ab, narrow.scd, narrow.se);
    return (uint)base + as_uint16(narrow);
}

/* One work-item. For directories as rlbd_directory makes them: partitions lie one after another.
 * `stream` and `output` have room for whole rows. */
__kernel void rlbd_rows(__global const ulong8 *restrict stream, ulong directory, uint partitions, ulong words,
                        __global uint16 *restrict output)
{
    /* Rows of input: 32 bytes of two neighbours in each of four memories. So 128 bytes can be had at any 32. */
    ulong4 held0[HELD / 2], held1[HELD / 2], held2[HELD / 2], held3[HELD / 2];
    uint16 made[MADE * ROUND];
    uint sources[LISTED * SLOTS]; /* in pieces of 16 bytes */

    /* Of each partition under way, the next one first: the byte of input that comes next, words of output so far, values
     * left of the frame, its base and header, the row that is not full, and whether the round must wait for it. */
    uint at[SLOTS], done[SLOTS];
    uint left[SLOTS];
    ulong base[SLOTS], head[SLOTS];
    uint16 row[SLOTS];
    bool waits[SLOTS];
    #pragma unroll
    for (uint i = 0; i < SLOTS; i++) {
        at[i] = done[i] = left[i] = 0;
        base[i] = head[i] = 0;
        row[i] = (uint16)(0);
        waits[i] = false;
    }

    const uint16 lane = (uint16)(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    uint batches = (partitions + SLOTS - 1) / SLOTS, rounds = batches + 6;
    ulong least = (ulong)rounds * ROUND, rows = (words + ROW_WORDS - 1) / ROW_WORDS;
    uint round = 0, step = 0;
    bool busy = false;

    #pragma ivdep
    for (ulong i = 0; i < least || round < rounds; i++) {
        uint slot = i % SLOTS;

        /* A row of output. */
        ulong stored = (ulong)(round - 6) * ROUND + step;
        if (round >= 6 && step < ROUND && stored < rows)
            output[stored] = made[(round - 6) % MADE * ROUND + step];

        /* A step of a partition. */
        ulong partition = (ulong)(round - 4) * SLOTS + slot;
        uint room = 0;
        if (round >= 4 && partition < partitions)
            room = (uint)min(words - partition * PARTITION_WORDS, (ulong)PARTITION_WORDS);
        bool starts = step < SLOTS;
        uint own_at = starts ? 16 * sources[(round - 4) % LISTED * SLOTS + slot] : at[0];
        uint own_done = starts ? 0 : done[0];
        uint own_left = starts ? 0 : left[0];
        ulong own_base = base[0], own_head = head[0];
        uint16 own_row = row[0];
        bool waited = waits[0];

        if (own_done < room) {
            uint line = own_at / 32;
            ulong16 window = (ulong16)(held0[(line + 3) / 4 % (HELD / 2)], held1[(line + 2) / 4 % (HELD / 2)],
                                       held2[(line + 1) / 4 % (HELD / 2)], held3[line / 4 % (HELD / 2)]);
            if (line & 2)
                window = (ulong16)(window.hi, window.lo);
            if (line & 1)
                window = (ulong16)(window.s456789ab, window.scdef, window.s0123);
            window = without_few(window, own_at);

            /* Values of the frame that is under way, or of the next one, until the row is full. */
            uint fill = own_done % ROW_WORDS, used = 0;
            bool fresh = own_left == 0;
            ulong8 deltas = window.s01234567;
            if (fresh) {
                own_base = window.s0;
                own_head = window.s1;
                own_left = COUNT(window.s1);
                deltas = window.s23456789;
                used = HEADER_BYTES;
            }
            uint16 words_a = words_of(own_base, own_head, deltas, fresh);
            uint values = min(own_left, (ROW_WORDS - fill + WIDE(own_head)) >> WIDE(own_head));
            used += (values - fresh) * DELTA(own_head);
            own_left -= values;
            uint reached = fill + (values << WIDE(own_head));
            uint16 lanes = turned(words_a, fill);
            uint16 merged = lane < fill ? own_row : lanes;
            uint over = lanes.s0;

            /* And of the one after that. */
            if (own_left == 0 && reached < ROW_WORDS && own_done - fill + reached < room) {
                window = without(window, used);
                own_base = window.s0;
                own_head = window.s1;
                own_left = COUNT(window.s1);
                lanes = turned(words_of(own_base, own_head, window.s23456789, true), reached);
                merged = lane < reached ? merged : lanes;
                over = lanes.s0;
                values = min(own_left, (ROW_WORDS - reached + WIDE(own_head)) >> WIDE(own_head));
                used += HEADER_BYTES + (values - 1) * DELTA(own_head);
                own_left -= values;
                reached += values << WIDE(own_head);
            }

            made[round % MADE * ROUND + slot * PARTITION_ROWS + own_done / ROW_WORDS] = merged;
            /* An 8-byte value may end in the next row. */
            own_row = reached < ROW_WORDS ? merged : (uint16)(over);
            own_at += used;
            own_done += reached - fill;
        }

        /* A row of input. What memory on the chip gets comes after what is taken from it: so nothing waits for it. */
        bool loads = round >= 2 && round - 2 < batches;
        uint first = (sources[(round - 2) % LISTED * SLOTS] + 3) / 4;
        uint end = (sources[(round - 1) % LISTED * SLOTS] + 3) / 4;
        uint next = first + step;
        if (loads && next < end) {
            ulong8 loaded = stream[next];
            uint place = next / 2 % (HELD / 2);
            if (next % 2 == 0) {
                held0[place] = loaded.lo;
                held1[place] = loaded.hi;
            } else {
                held2[place] = loaded.lo;
                held3[place] = loaded.hi;
            }
        }

        /* The directory. After it, where the frames end. */
        ulong listed = (ulong)round * SLOTS + step;
        if (round <= batches && step < SLOTS) {
            ulong source = directory;
            if (listed < partitions)
                source = ((__global const ulong *)stream)[directory / 8 + 4 * listed];
            sources[round % LISTED * SLOTS + slot] = (uint)(source / 16);
        }

        /* One more step is enough if this frame has what the last row needs. */
        bool wait = loads && next - slot + 2 * SLOTS < end;
        if (own_done < room)
            wait |= room - own_done > min(ROW_WORDS - own_done % ROW_WORDS, own_left << WIDE(own_head));

        #pragma unroll
        for (uint j = 0; j + 1 < SLOTS; j++) {
            at[j] = at[j + 1];
            done[j] = done[j + 1];
            left[j] = left[j + 1];
            base[j] = base[j + 1];
            head[j] = head[j + 1];
            row[j] = row[j + 1];
            waits[j] = waits[j + 1];
        }
        at[SLOTS - 1] = own_at;
        done[SLOTS - 1] = own_done;
        left[SLOTS - 1] = own_left;
        base[SLOTS - 1] = own_base;
        head[SLOTS - 1] = own_head;
        row[SLOTS - 1] = own_row;
        waits[SLOTS - 1] = wait;

        /* The round ends after a turn in which nothing had to wait. */
        busy = slot > 0 && busy || waited;
        if (slot == SLOTS - 1 && step + 1 >= ROUND && !busy) {
            round++;
            step = 0;
        } else {
            step++;
        }
    }
}
