/* The seal at the end of an .aocx: see runtime/src/seal.rs. */
#include "runtime.h"

#include <string.h>

#define SEAL_LENGTH 40

static const unsigned char magic[8] = {'F', 'P', 'G', 'A', 'C', 'C', '\0', '1'};

/* Spelled so that compilers make one load of it. */
static uint64_t half_at(const unsigned char *at)
{
    return (uint64_t)at[0] | (uint64_t)at[1] << 8 | (uint64_t)at[2] << 16 | (uint64_t)at[3] << 24;
}

static uint64_t number_at(const unsigned char *at)
{
    return half_at(at) | (uint64_t)at[4] << 32 | (uint64_t)at[5] << 40 | (uint64_t)at[6] << 48 |
           (uint64_t)at[7] << 56;
}

/* ---- XXH64 (Yann Collet's description, "xxHash fast digest algorithm", version 0.1.1) -------- */

#define PRIME1 UINT64_C(0x9e3779b185ebca87)
#define PRIME2 UINT64_C(0xc2b2ae3d27d4eb4f)
#define PRIME3 UINT64_C(0x165667b19e3779f9)
#define PRIME4 UINT64_C(0x85ebca77c2b2ae63)
#define PRIME5 UINT64_C(0x27d4eb2f165667c5)

static uint64_t rotate(uint64_t value, unsigned bits)
{
    return value << bits | value >> (64 - bits);
}

static uint64_t round_of(uint64_t lane, uint64_t input)
{
    return rotate(lane + input * PRIME2, 31) * PRIME1;
}

static uint64_t merge(uint64_t hash, uint64_t lane)
{
    return (hash ^ round_of(0, lane)) * PRIME1 + PRIME4;
}

static uint64_t digest_of(const unsigned char *bytes, size_t size)
{
    const unsigned char *at = bytes, *end = bytes + size;
    uint64_t hash = PRIME5;
    if (size >= 32) {
        uint64_t lanes[4] = {PRIME1 + PRIME2, PRIME2, 0, 0 - PRIME1};
        for (; end - at >= 32; at += 32)
            for (unsigned i = 0; i < 4; i++)
                lanes[i] = round_of(lanes[i], number_at(at + 8 * i));
        hash = rotate(lanes[0], 1) + rotate(lanes[1], 7) + rotate(lanes[2], 12) +
               rotate(lanes[3], 18);
        for (unsigned i = 0; i < 4; i++)
            hash = merge(hash, lanes[i]);
    }
    hash += size;
    for (; end - at >= 8; at += 8)
        hash = rotate(hash ^ round_of(0, number_at(at)), 27) * PRIME1 + PRIME4;
    for (; end - at >= 4; at += 4)
        hash = rotate(hash ^ half_at(at) * PRIME1, 23) * PRIME2 + PRIME3;
    for (; at < end; at++)
        hash = rotate(hash ^ *at * PRIME5, 11) * PRIME1;
    hash = (hash ^ hash >> 33) * PRIME2;
    hash = (hash ^ hash >> 29) * PRIME3;
    return hash ^ hash >> 32;
}

/* --------------------------------------------------------------------------------------------- */

int fpgacc_seal_read(struct fpgacc_seal *seal, const unsigned char *data, size_t size)
{
    memset(seal, 0, sizeof *seal);
    seal->program_size = size;
    if (size < SEAL_LENGTH || memcmp(data + size - sizeof magic, magic, sizeof magic) != 0)
        return 0;
    const unsigned char *own = data + size - SEAL_LENGTH;
    uint64_t program = number_at(own), label = number_at(own + 8);
    seal->build = number_at(own + 16);
    if (program > size || label > size || program + label + SEAL_LENGTH != size)
        return 1;
    seal->program_size = (size_t)program;
    seal->label = (const char *)data + program;
    seal->label_size = label < 256 ? (int)label : 256;
    seal->is_whole = digest_of(data, (size_t)(own + 24 - data)) == number_at(own + 24);
    return 1;
}

const char *fpgacc_build_name(uint64_t build, char *name)
{
    static const char digits[] = "0123456789abcdef";
    for (unsigned i = 0; i < 16; i++)
        name[i] = digits[build >> (60 - 4 * i) & 15];
    name[16] = '\0';
    return name;
}

int fpgacc_seal_check(const struct fpgacc_program *variant, const unsigned char *data,
                      size_t size, size_t *program_size, struct fpgacc_text *why)
{
    struct fpgacc_seal seal;
    char its[17], own[17];
    int is_sealed = fpgacc_seal_read(&seal, data, size);
    *program_size = seal.program_size;
    if (!is_sealed && !variant->is_sealed)
        return 1;
    if (!is_sealed)
        fpgacc_text_add(why, "not of a build by this fpgacc; the executable needs build %s of '%s'",
                        fpgacc_build_name(variant->build, own), variant->name);
    else if (!seal.is_whole)
        fpgacc_text_add(why, "damaged");
    else if (!variant->is_sealed)
        fpgacc_text_add(why, "build %s of '%.*s'; the executable needs one that is made by its own "
                             "makefile",
                        fpgacc_build_name(seal.build, its), seal.label_size, seal.label);
    else if (seal.build != variant->build)
        fpgacc_text_add(why, "build %s of '%.*s'; the executable needs build %s of '%s'",
                        fpgacc_build_name(seal.build, its), seal.label_size, seal.label,
                        fpgacc_build_name(variant->build, own), variant->name);
    else
        return 1;
    return 0;
}
