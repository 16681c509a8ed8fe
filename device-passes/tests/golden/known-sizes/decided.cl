// host: dim=2 global=64,4 local=16,2 args=a,b,64
// with: specialise

// Guards that no work-item needs, or that all need.
__kernel void guards(__global const int *a, __global int *b, int n) {
    int g = get_global_id(0);
    const uint l = get_local_id(1);
    if (g >= n)
        return;
    if (g < n && l < 2) {
        int x = a[g];
        b[g] = x;
    } else {
        b[g] = 7;
    }
    if (!(get_group_id(0) * get_local_size(0) + get_local_id(0) < 64) || get_num_groups(1) != 2)
        b[0] = 1;
    else
        b[g] += 1;
}

// A loop by the global size, and one by the local size: the second leaves work-items out.
__kernel void rows(__global const int *a, __global int *b, int n) {
    __local int t[8];
    unsigned i = 0;
    const unsigned by = get_global_size(0);
    for (int k = get_local_id(0); k < 8; k += get_local_size(0))
        t[k] = a[k];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (i = get_global_id(0); i < n; i = i + by) {
        int x = a[i] + t[i & 7];
        b[i] = x;
    }
    b[i & 63] += 1;
}
