// host: kernel=scale dim=2 global=1024,1024 local=64,1 args=?,local:256
// case
// host: kernel=scale dim=2 global=1024,1024 local=64,1 args=?,local:400/600
__kernel void scale(__global float *a, __local float *t)
{
    int i = get_local_id(0);
    t[i] = a[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    a[get_global_id(0)] = t[i ^ 1];
}
// case
// host: kernel=scale dim=2 global=1024,1024 local=64,1 args=?,local:n*4
__kernel void scale(__global float *a, __local float *t)
{
    int i = get_local_id(0);
    t[i] = a[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    a[get_global_id(0)] = t[i ^ 1];
}
// case
// host: kernel=scale dim=2 global=1024,1024 local=64,1 args=?,local:?
__kernel void scale(__global float *a, __local float *t)
{
    int i = get_local_id(0);
    t[i] = a[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    a[get_global_id(0)] = t[i ^ 1];
}
// case
// host: kernel=scale dim=2 global=1024,1024 local=64,1 args=?,local:0
__kernel void scale(__global float *a, __local float *t)
{
    int i = get_local_id(0);
    t[i] = a[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    a[get_global_id(0)] = t[i ^ 1];
}
// case
__kernel void scale(__global float *a, __local float *t __attribute__((local_mem_size(4096))))
{
    int i = get_local_id(0);
    t[i] = a[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    a[get_global_id(0)] = t[i ^ 1];
}
