// Functions by which a group computes something together, in groups of up to 32 work-items.
__kernel void line(__global int *o, __global uint *u, __global float *f) {
    SCRATCH
    int g = get_global_id(0), l = get_local_id(0);
    int sum = work_group_reduce_add(o[g]);
    if (work_group_any(o[g] > 45))
        sum += work_group_broadcast(o[g], 3);
    if (work_group_all(o[g] < 45))
        sum -= 1000;
    o[g] = sum * work_group_scan_inclusive_add(l);
    u[g] = work_group_reduce_max(u[g]) - work_group_reduce_min(u[g]);
    int most = work_group_scan_exclusive_max((int)f[g]);
    f[g] = most == INT_MIN ? -1.0f : most;
    int left = l % 5;
    while (work_group_any(left > 0)) {
        left--;
        int before = work_group_scan_exclusive_add(left + 3);
        left += work_group_reduce_min(l) + work_group_broadcast(l, 2) - 2;
        o[g] += before + work_group_reduce_add(left);
    }
}

__kernel void block(__global int *o, __global uint *u) {
    SCRATCH
    int x = get_global_id(0), y = get_global_id(1);
    int at = y * get_global_size(0) + x;
    for (int i = 0; i < 3; i++) {
        o[at] = o[at] * 3 + work_group_scan_inclusive_min(o[at] + i);
        int before = work_group_scan_exclusive_add(o[at] % 100);
        u[at] += before + work_group_broadcast(before, i, 1);
        if (work_group_all(before < 1000) && i > 0)
            break;
    }
}
