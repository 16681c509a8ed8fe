__kernel void scale(__global float *a, float f) { a[get_global_id(0)] *= f; }
// case: a launch that does not divide
// with: vectorise=4
// host: dim=1 global=60 local=6
// case: an offset
// with: vectorise=4
// host: dim=1 offset=8 global=64 local=16
// case: vectors of three
// with: vectorise=3
// host: dim=1 global=48 local=12
// case: kernels
// with: vectorise=4
// host: dim=1 global=64 local=16
__attribute__((reqd_work_group_size(6, 1, 1)))
__kernel void six(__global float *a) { a[get_global_id(0)] *= get_local_size(0); }
__kernel void trips(__global const int *n, __global float *a)
{
    int i = get_global_id(0);
    for (int k = 0; k < n[i]; k++)
        a[i] += k;
}
__kernel void leaves(__global float *a, int n)
{
    int i = get_global_id(0);
    float x = a[i];
    for (int k = 0; k < n; k++) {
        x *= 0.5f;
        if (x < 1) break;
    }
    a[i] = x;
}
__kernel void waits(__global float *a)
{
    __local float s[16];
    int i = get_global_id(0);
    if (a[i] > 0) {
        s[get_local_id(0)] = a[i];
        barrier(CLK_LOCAL_MEM_FENCE);
        a[i] = s[0];
    }
}
__kernel void is_volatile(__global volatile int *a) { a[get_global_id(0)]++; }
__kernel void prints(__global int *a) { printf("%d\n", a[get_global_id(0)]); }
__kernel void nests(__global int *a, __global int *b)
{
    int i = get_global_id(0), n = 0, m;
    m = a[i] + n++;
    b[i] = a[m = a[i]] + n;
}
__kernel void nothing(__global float4 *a) { a[get_global_id(0)] *= 2; }
__kernel void collective(__global int *a)
{
    a[get_global_id(0)] = work_group_reduce_add(a[get_global_id(0)]);
}
__kernel void asks(__global int *a)
{
    for (int d = 0; d < 2; d++)
        a[get_global_id(0)] += get_global_id(d);
}
