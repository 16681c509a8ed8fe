// host: kernel=k dim=1 global=256 local=64 args=da,db,dc
// buffer: da bytes 1024
// buffer: db bytes 1024
// buffer: dc bytes 1024
// case: behind the barrier, others read what was written before it
__kernel void k(__global int *a, __global int *b, __global int *c)
{
    int l = get_local_id(0), first = get_group_id(0) * 64;
    a[first + l] = b[first + l];
    barrier(CLK_GLOBAL_MEM_FENCE);
    c[first + l] = a[first + (l + 1) % 64];
}
// case: behind the barrier, others write what was read before it
__kernel void k(__global int *a, __global int *b, __global int *c)
{
    int l = get_local_id(0), first = get_group_id(0) * 64;
    int v = a[first + (l + 1) % 64];
    barrier(CLK_GLOBAL_MEM_FENCE);
    a[first + l] = v + b[first + l] + c[first + l];
}
// case: each is only accessed between two barriers, or only read
__kernel void k(__global int *a, __global int *b, __global int *c)
{
    __local int t[64];
    int l = get_local_id(0), g = get_global_id(0);
    t[l] = a[g];
    barrier(CLK_LOCAL_MEM_FENCE);
    c[g] += t[63 - l] + a[g];
    for (int step = 32; step > 0; step /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (l < step)
            t[l] += t[l + step];
    }
    if (l == 0)
        b[get_group_id(0)] = t[0];
}
// case: a barrier in a loop, and one in a helper
void meet(void)
{
    barrier(CLK_GLOBAL_MEM_FENCE);
}
__kernel void k(__global int *a, __global int *b, __global int *c)
{
    int l = get_local_id(0), g = get_global_id(0);
    for (int i = 0; i < 4; i++) {
        if (l == i)
            a[g / 64] += c[g];
        barrier(CLK_GLOBAL_MEM_FENCE);
    }
    b[g] = l;
    meet();
    b[g] += b[g ^ 1];
}
// case: nobody reads what is written, but two may write one element one after the other
__kernel void k(__global int *a, __global int *b, __global int *c)
{
    int l = get_local_id(0), g = get_group_id(0);
    if (l == 0)
        a[g] = b[g];
    barrier(CLK_GLOBAL_MEM_FENCE);
    if (l == 1)
        a[g] = c[g];
}
// case: atomic operations order nothing, and locks count on more
__kernel void k(__global int *a, __global int *b, __global int *c)
{
    int g = get_global_id(0);
    while (atomic_cmpxchg(&a[0], 0, 1))
        ;
    b[0] += g;
    atomic_xchg(&a[0], 0);
    for (int i = 0; i < 4; i++)
        c[atomic_inc(&a[1])] = g;
}
// case: control may go back
__kernel void k(__global int *a, __global int *b, __global int *c)
{
    int l = get_local_id(0), i = 0;
again:
    if (l == i)
        a[0] = b[l];
    c[l] = i;
    barrier(CLK_GLOBAL_MEM_FENCE);
    if (++i < 4)
        goto again;
}
