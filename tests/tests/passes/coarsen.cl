/* Kernels for a launch of 2 x 2 groups of 8 x 4 work-items. */
size_t place(void) {
    size_t x = get_global_id(0) - get_global_offset(0);
    return (get_global_id(1) - get_global_offset(1)) * get_global_size(0) + x;
}
int asked(int dim) { return get_local_id(dim) * 100 + get_group_id(dim); }
void meet(__local int *t, int x) {
    t[get_local_id(1) * get_local_size(0) + get_local_id(0)] = x;
    barrier(CLK_LOCAL_MEM_FENCE);
}
/* All that a work-item can ask. */
__kernel void ids(__global int *out, __global const int *in, int n) {
    int v = asked(0) * 3 + asked(1) * 7 + asked(n) * 11 + asked(5);
    v += get_global_id(0) + 17 * get_global_id(1) + 19 * get_global_id(n);
    v += get_local_size(0) * 23 + get_num_groups(1) * 29 + get_global_size(n) * 31;
    v += get_work_dim() * 37 + get_global_offset(0) * 41 + get_num_groups(n);
    out[place()] = v + in[place()];
}
/* Values of all kinds live across barriers. */
__kernel void across(__global int *out, __global const int *in, int n) {
    __local int t[32], sum;
    int l = get_local_id(1) * 8 + get_local_id(0), own[3] = {l, in[place()], n};
    int *p = &own[l % 3];
    int4 v = (int4)(l, n, in[place()], 1);
    meet(t, in[place()]);
    if (l == 0) sum = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int w = 16; w > 0; w >>= 1) {
        if (l < w) t[l] += t[l + w];
        barrier(CLK_LOCAL_MEM_FENCE);
        *p += w;
    }
    atomic_add(&sum, v.x);
    barrier(CLK_LOCAL_MEM_FENCE);
    out[place()] = t[0] + own[0] + own[1] + own[2] + *p + v.z + sum;
}
/* Loops that lanes go through together, and alone. */
__kernel void loops(__global int *out, __global const int *in, int n) {
    int g = place(), s = 0;
    for (int k = 0; k < n; k++) s += in[k] * in[(g + k) % 128];
    for (int k = 0; k < in[1] % 7; k++)
        for (int j = 0; j < k; j++) s ^= in[(g + j) % 128] + k;
    for (int k = 0; k < g % 5; k++) s += k * in[k];
    for (int k = 0; k < n; k++) { if (in[k] > g) break; s++; }
    if (g % 3 != 1) {
        for (int k = 0; k < n; k++) s += in[(g * k) % 128];
    }
    int m = n;
    while (m > 0) { s += m * g; m -= 2; }
    out[g] = s;
}
/* Some leave early, and groups reach barriers that others do not. */
__kernel void leave(__global int *out, __global const int *in, int n) {
    __local int t[32];
    int l = get_local_id(1) * 8 + get_local_id(0);
    t[l] = in[place()];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[place()] = t[31 - l];
    if (get_group_id(0) + get_group_id(1) < 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        t[l] += in[get_group_id(0)];
        for (int k = 0; k < 1 + (int)get_group_id(1); k++) {
            barrier(CLK_LOCAL_MEM_FENCE);
            int next = t[(l + 1) % 32];
            barrier(CLK_LOCAL_MEM_FENCE);
            t[l] = next + k;
        }
        out[place()] += t[l];
    }
    if (l % 2) return;
    for (int k = 0; k < n; k++) out[place()] += in[k];
}
