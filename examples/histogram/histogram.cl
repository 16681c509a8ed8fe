#define BINS 256

/* How often each byte occurs: a group counts in local memory and adds its counts to all others'. */
__kernel void histogram(__global const uchar *bytes, __global uint *counts, int n) {
    __local uint own[BINS];
    int item = get_local_id(0), size = get_local_size(0);
    for (int bin = item; bin < BINS; bin += size)
        own[bin] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = get_global_id(0); i < n; i += get_global_size(0))
        atomic_inc(&own[bytes[i]]);
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int bin = item; bin < BINS; bin += size)
        atomic_add(&counts[bin], own[bin]);
}
