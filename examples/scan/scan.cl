/* Prefix sums: each group sums its block in local memory, in steps of doubling distance. */
__kernel void scan_blocks(__global const int *in, __global int *out, __global int *totals,
                          __local int *sums, int n) {
    int i = get_global_id(0), item = get_local_id(0), size = get_local_size(0);
    sums[item] = i < n ? in[i] : 0;
    for (int distance = 1; distance < size; distance *= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        int before = item >= distance ? sums[item - distance] : 0;
        barrier(CLK_LOCAL_MEM_FENCE);
        sums[item] += before;
    }
    if (i < n)
        out[i] = sums[item];
    if (item == size - 1)
        totals[get_group_id(0)] = sums[item];
}

/* Adds to each block what the blocks before it come to. */
__kernel void add_totals(__global int *out, __global const int *totals, int n) {
    int i = get_global_id(0), block = get_group_id(0);
    if (block > 0 && i < n)
        out[i] += totals[block - 1];
}
