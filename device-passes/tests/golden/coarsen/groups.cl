// Each of the merged groups has its own __local memory; what depends on local ids is the same for all.
__kernel void sum(__global const float *a, __global float *b)
{
    __local float s[64];
    __local int count;
    int l = get_local_id(0);
    s[l] = a[get_global_id(0)];
    if (l == 0) count = get_group_id(0);
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int w = get_local_size(0) / 2; w > 0; w >>= 1) {
        if (l < w) s[l] += s[l + w];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (l == 0) b[get_group_id(0)] = s[0] + count;
}
// Barriers that one group reaches and another does not.
__kernel void some(__global float *a, int n)
{
    __local float s[64];
    int l = get_local_id(0);
    if (get_group_id(0) < n) {
        s[l] = a[get_global_id(0)];
        barrier(CLK_LOCAL_MEM_FENCE);
        a[get_global_id(0)] = s[63 - l] + get_num_groups(0);
    }
}
__kernel void dynamic(__global float *a, __local float *s)
{
    s[get_local_id(0)] = a[get_global_id(0)];
    a[get_global_id(0)] = s[get_local_id(0)] + 1;
}
__kernel void sizes(__global float *a)
{
    __local float s[64];
    for (int i = 0; i < sizeof(s) / sizeof(float); i += 8) {
        s[i] = a[i];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    a[get_global_id(0)] = s[0] + sizeof s;
}
// case
// with: coarsen=0:2:1:groups
// host: dim=1 global=1024 local=64
// case: as far apart as there are left
// with: coarsen=0:2:local:groups
// host: dim=1 offset=? global=1024 local=64
// case: groups that do not divide
// with: coarsen=0:3:1:groups
// host: dim=1 global=1024 local=64
