// host: dim=1 global=64 local=16
// Atomics on local memory become plain, those on global memory stay.
__kernel void histogram(__global int *bins, __global const int *a, __local uint *s) {
    int l = get_local_id(0), v = a[get_global_id(0)];
    __local int most;
    if (l == 0)
        most = 0;
    s[l] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_inc(&s[v & 15]);
    atomic_max(&most, v);
    int old = atomic_add(&s[(v + 1) & 15], v);
    old = atomic_xchg(s + 3, 7);
    (void)atomic_cmpxchg((volatile __local uint *)&s[4], 2u, v);
    atomic_sub(s, 3.7f);
    if (atomic_or(&s[5], 4) == 3)
        atomic_dec(&s[6]);
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_add(&bins[l], s[l] + most + old);
}
