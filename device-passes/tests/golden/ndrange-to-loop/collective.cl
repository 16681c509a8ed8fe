// host: dim=1 global=64 local=16
// CL2.0
// Functions that a whole group calls together.
__kernel void copies(__global int *o, __local int *s, __global const int *a, int n) {
    int g = get_global_id(0), l = get_local_id(0);
    event_t e = async_work_group_copy(s, a + get_group_id(0) * 16, 16, 0);
    e = async_work_group_strided_copy(s + 16, a, n, 2, e);
    wait_group_events(1, &e);
    int sum = s[l] + s[16 + l % n];
    s[l] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    event_t two[2];
    two[0] = async_work_group_copy(o + get_group_id(0) * 16, s, 16, (event_t)0);
    wait_group_events(1, two);
}

__kernel void threes(__global float3 *o, __global const float3 *a) {
    __local float3 s[16];
    event_t e = async_work_group_copy(s, a + 16 * get_group_id(0), 8, 0);
    wait_group_events(1, &e);
    o[get_global_id(0)] = s[get_local_id(0) % 8];
}

__kernel void reductions(__global int *o, __global uint *u) {
    int g = get_global_id(0);
    int sum = work_group_reduce_add(o[g]);
    if (work_group_any(sum > 20))
        sum += work_group_broadcast(o[g], 3);
    o[g] = sum + work_group_all(o[g] > 0);
    u[g] = work_group_reduce_max(u[g]) - work_group_reduce_min(u[g]);
}

__kernel void scans(__global int *o, __global float *f) {
    int g = get_global_id(0);
    o[g] = work_group_scan_inclusive_add(o[g]);
    f[g] = work_group_scan_exclusive_max(f[g]);
}

__kernel void until(__global int *o) {
    int g = get_global_id(0);
    int left = o[g];
    while (work_group_any(left > 0)) {
        left--;
        o[g] += work_group_reduce_add(left);
    }
}
