__kernel void scale(__global float *a, float f) { a[get_global_id(0)] *= f; }
__attribute__((reqd_work_group_size(6, 1, 1)))
__kernel void six(__global float *a) { a[get_global_id(0)] *= get_local_size(0); }
__attribute__((reqd_work_group_size(64, 1, 1))) __attribute__((num_simd_work_items(4)))
__kernel void simd(__global float *a) { a[get_global_id(0)] *= 2; }
__kernel void together(__global int *a)
{
    int s = work_group_reduce_add(a[get_global_id(0)]);
    a[get_global_id(0)] = s;
}
__kernel void copies(__global float *a)
{
    __local float s[64];
    event_t e = async_work_group_copy(s, a, 64, 0);
    wait_group_events(1, &e);
    a[get_global_id(0)] = s[get_local_id(0)];
}
__kernel void sub_groups(__global int *a) { a[get_global_id(0)] = get_sub_group_local_id(); }
__kernel void waits(__global int *flag, __global int *a)
{
    while (atomic_add(flag, 0) == 0) {}
    a[get_global_id(0)] = 1;
}
__kernel void lockstep(__global float *a)
{
    __local float s[64];
    int l = get_local_id(0);
    s[l] = a[l];
    if (l < 32) s[l] += s[l + 32];
    if (l < 16) s[l] += s[l + 16];
    a[l] = s[l];
}
__kernel void tagged(__global const int *a, __global int *b)
{
    __local int s[256];
    int l = get_local_id(0);
    volatile __local int *t = s;
    uint count;
    do { count = (l << 27) | ((t[a[l] & 255] & 0x7ffffff) + 1); t[a[l] & 255] = count; }
    while (t[a[l] & 255] != count);
    b[l] = s[l];
}
__kernel void jumps(__global float *a)
{
    int g = get_global_id(0);
    if (a[g] > 0) goto end;
    a[g] = 1;
end:
    a[g] += 1;
}
__kernel void called(__global float *a) { a[get_global_id(0)] = 1; }
__kernel void caller(__global float *a) { called(a); a[get_global_id(0)] += 1; }
__kernel void task(__global float *a) { a[0] = 1; }
// case: nothing is asked for
// host: dim=1 global=1024 local=64
// case: reasons in the kernels
// with: coarsen=0:4
// host: dim=1 global=1024 local=64
