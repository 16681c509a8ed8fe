// case
// host: dim=2 global=1024,1024 local=8,4
__kernel void scale1(__global float *a, __global int *b)
{
    a[get_global_id(1) * 1024 + get_global_id(0)] *= 2;
}
__kernel void scale2(__global float *a, __global int *b)
{
    a[get_global_id(0) * 1024 + get_global_id(1)] *= 2;
}
// case
// with: innermost=0
// host: dim=2 global=1024,1024 local=8,4
__kernel void scale1(__global float *a, __global int *b)
{
    a[get_global_id(1) * 1024 + get_global_id(0)] *= 2;
}
__kernel void scale2(__global float *a, __global int *b)
{
    a[get_global_id(0) * 1024 + get_global_id(1)] *= 2;
}
// case
// with: innermost=1
// host: dim=2 global=1024,1024 local=8,4
__kernel void scale1(__global float *a, __global int *b)
{
    a[get_global_id(1) * 1024 + get_global_id(0)] *= 2;
}
__kernel void scale2(__global float *a, __global int *b)
{
    __local float t[4][8]; t[get_local_id(1)][get_local_id(0)] = 1; barrier(CLK_LOCAL_MEM_FENCE); a[get_global_id(1) * 1024 + get_global_id(0)] = t[0][0];
}
// case
// with: innermost=2
// host: kernel=scale dim=2 global=1024,1024 local=8,4
__kernel void scale(__global float *a, __global int *b)
{
    a[get_global_id(1) * 1024 + get_global_id(0)] *= 2;
}
