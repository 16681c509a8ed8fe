// host: dim=1 global=64 local=16
__kernel void one_counter(__global int *o, __global const int *a, int n) {
    __local int s[16];
    int i, j;
    int l = get_local_id(0);
    int sum = 0;
    for (i = 0; i < l; i++) sum += a[i];
    s[l] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (i = 1; i < 16; i *= 2) {
        for (j = 0; j < i; j++) sum += s[(l + j) & 15];
        barrier(CLK_LOCAL_MEM_FENCE);
        s[l] = sum;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    for (j = 0; j < 3; j++) sum ^= j;
    o[get_global_id(0)] = sum + i;
}
__kernel void looked_at_behind(__global int *o, int n) {
    int i, c = 0;
    int l = get_local_id(0);
    for (i = 0; i < l; i++) c += i;
    if (c > 3) i = 7;
    barrier(CLK_GLOBAL_MEM_FENCE);
    o[get_global_id(0)] = i;
    for (int k = 0; k < 2; k++) {
        if (k) o[get_global_id(0)] += i;
        for (i = 0; i < n; i++) barrier(CLK_GLOBAL_MEM_FENCE);
    }
    for (i = 3; i < n; i++) o[get_global_id(0)] += i;
}
