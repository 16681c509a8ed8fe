// host: dim=1 global=64 local=16
uint group(void) {
    return get_group_id(0) * 2;
}
int limit(__global const int *a, int n) {
    int most = 0;
    for (int i = 0; i < n; i++) most = max(most, a[i]);
    return most;
}
int own(int n) {
    return n + get_local_id(0);
}
__kernel void k(__global int *o, __global const int *a, int n) {
    __local int s[16];
    int l = get_local_id(0);
    int c = 0;
    s[l] = l;
    for (uint i = 0; i < group() && i < limit(a, n); i++) {
        barrier(CLK_LOCAL_MEM_FENCE);
        c += s[(l + i) % 16];
    }
    if (own(n) > 3) {
        barrier(CLK_LOCAL_MEM_FENCE);
        c++;
    }
    o[get_global_id(0)] = c;
}
