__kernel void histogram(__global const uchar *restrict a, __global int *restrict h)
{
    atomic_inc(&h[a[get_global_id(0)]]);
}
__attribute__((reqd_work_group_size(64, 1, 1)))
__kernel void two(__global const uint *restrict a, __global uint *restrict h, __global int *restrict c, int n)
{
    int i = get_global_id(0);
    if (i >= n) return;
    __local uint last[64];
    last[get_local_id(0)] = a[i];
    if (a[i] > 1000000) { atomic_inc(c); return; }
    for (int j = 0; j < 4; j++) atomic_add(h + ((a[i] >> 8 * j) & 255), last[get_local_id(0)]);
    (void)atomic_sub(&h[a[i] % 13], 2);
}
__kernel void loops(__global const uchar *restrict a, __global int *restrict h, int n)
{
    for (int i = get_global_id(0); i < n; i += get_global_size(0)) {
        if (a[i] == 0) return;
        atomic_inc(&h[a[i]]);
    }
}
__kernel void large(__global const ushort *restrict a, __global int *restrict h)
{
    atomic_inc(&h[a[get_global_id(0)]]);
}
__kernel void wide(__global const uchar *restrict a, __global ulong *restrict h)
{
    atom_inc(&h[a[get_global_id(0)]]);
}
__kernel void many(__global const ushort *restrict a, __global int *restrict g, __global int *restrict h)
{
    atomic_inc(&g[a[get_global_id(0)] & 4095]);
    atomic_inc(&h[a[get_global_id(0)] & 8191]);
}
__kernel void fenced(__global const uchar *restrict a, __global int *restrict h)
{
    atomic_inc(&h[a[get_global_id(0)]]);
    mem_fence(CLK_GLOBAL_MEM_FENCE);
}
__kernel void looks(__global const uchar *restrict a, __global int *restrict h)
{
    atomic_inc(&h[a[get_global_id(0)]]);
    barrier(CLK_GLOBAL_MEM_FENCE);
    h[0] = h[255];
}
// case: groups count on their own
// host: dim=1 global=1024 local=64
