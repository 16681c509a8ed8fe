
__kernel void tile(__global const int *in, __global int *out, __local int *t, int n) {
    int l = get_local_id(0);
    t[l] = in[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    int sum = 0;
    for (int i = 0; i < n; i++)
        sum += t[(l + i) % 16] * (i + 1);
    out[get_global_id(0)] = sum;
}
__kernel void count(__global const int *in, __global int *bins) {
    if (in[get_global_id(0)] > 0)
        atomic_inc(&bins[get_group_id(0) / 4]);
}
__kernel void apart(__global const int *in, __global int *out) {
    int x = in[get_global_id(0)] & 31;
    while (x > 3)
        x -= 3;
    out[get_global_id(0)] = x;
}
