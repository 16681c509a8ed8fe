/* What kernels that keep a log call (fpgacc trace --accesses). A work-item carries where it is in
 * `now`: the launch, its way (a number that all work-items have in common which are in the same
 * iteration of the same loops), for how many iterations this one stands, as a power of two (low
 * byte) beside the loops around (the rest), the records that there is room for, or 0 if it keeps
 * none, its group and its place in that. */

/* It has no branches: those before which or after which barriers stand are what implementations
 * stumble over. What is not kept is written before the first record. */
void fpgacc_note(__global uint *log, uint8 now, uint site, ulong what)
{
    uint at = atomic_add((volatile __global uint *)log, min(now.s3, 1u));
    uint is_kept = (uint)(at < now.s3);
    __global uint *to = log + 1 + 7 * (size_t)(is_kept * (at + 1));
    to[0] = site | (now.s2 << 24);
    to[1] = now.s0;
    to[2] = now.s4;
    to[3] = now.s5;
    to[4] = now.s1;
    to[5] = (uint)what;
    to[6] = (uint)(what >> 32);
}

/* `launch`: its number; the blocks of 64 work-items that are looked at, and of one group; room. */
uint8 fpgacc_begin(uint4 launch)
{
    uint x = (uint)get_num_groups(0);
    uint y = (uint)get_num_groups(1);
    uint groups = x * y * (uint)get_num_groups(2);
    uint group = (uint)get_group_id(0) + x * ((uint)get_group_id(1) + y * (uint)get_group_id(2));
    uint w = (uint)get_local_size(0);
    uint h = (uint)get_local_size(1);
    uint blocks = (w * h * (uint)get_local_size(2) + 63) / 64;
    uint item = (uint)get_local_id(0) + w * ((uint)get_local_id(1) + h * (uint)get_local_id(2));
    uint kept = min(blocks, launch.z);
    uint stride = max(groups * kept / launch.y, 1u);
    uint block_stride = blocks / max(kept, 1u);
    uint turn = group / stride;
    uint is_meant = group % stride == stride / 2 && item / 64 % block_stride == turn % block_stride;
    return (uint8)(launch.x, 0, 0, is_meant ? launch.w : 0, group, item, 0, 0);
}

/* Of the groups that there are, and their work-items. */
void fpgacc_end(__global uint *log, uint8 now)
{
    ulong groups = get_num_groups(0) * get_num_groups(1) * get_num_groups(2);
    ulong items = get_local_size(0) * get_local_size(1) * get_local_size(2);
    now.s2 = 0;
    fpgacc_note(log, now, 0, items | (groups << 32));
}

/* An iteration of a loop. Of the 16 to 31st, the 32nd to 63rd and so on, 16 are looked at; fewer in
 * loops inside loops. */
uint8 fpgacc_round(uint8 outer, uint place, uint round)
{
    uint depth = outer.s2 >> 8;
    uint kept = 4 - min(depth, 3u);
    uint bits = 32 - clz(round | 1);
    uint skip = max(bits, kept + 1) - kept - 1;
    outer.s1 = (outer.s1 ^ (round + 1)) * 0x9e3779b1u + place * 0x85ebca6bu;
    outer.s2 += skip + 256;
    outer.s3 *= (uint)((round & ((1u << skip) - 1)) == 0);
    return outer;
}

/* A call. */
uint8 fpgacc_inside(uint8 now, uint place)
{
    now.s1 = (now.s1 ^ place) * 0xc2b2ae35u + 1;
    return now;
}

__global void *fpgacc_at_global(const volatile __global void *at, __global uint *log, uint8 now, uint site)
{
    fpgacc_note(log, now, site, (ulong)at);
    return (__global void *)at;
}

__constant void *fpgacc_at_constant(__constant void *at, __global uint *log, uint8 now, uint site)
{
    fpgacc_note(log, now, site, (ulong)at);
    return at;
}

__local void *fpgacc_at_local(const volatile __local void *at, __global uint *log, uint8 now, uint site)
{
    fpgacc_note(log, now, site, (ulong)at);
    return (__local void *)at;
}

/* `outer`: the way around a loop, of which this is the condition. */
int fpgacc_taken(int is_taken, __global uint *log, uint8 now, uint site, uint8 outer)
{
    fpgacc_note(log, now, site, (ulong)is_taken | ((ulong)outer.s1 << 32));
    return is_taken;
}
