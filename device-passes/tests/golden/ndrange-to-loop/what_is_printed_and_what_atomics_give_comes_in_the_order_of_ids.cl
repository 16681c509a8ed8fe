// with: innermost=1
// host: dim=2 global=1024,1024 local=8,4
__kernel void scale1(__global float *a, __global int *b)
{
    printf("%d", (int)(get_global_id(0) + get_global_id(1)));
}
__kernel void scale2(__global float *a, __global int *b)
{
    a[atomic_inc(b)] = get_global_id(0) + get_global_id(1);
}
