__kernel void scale(__global float *a, float f)
{
    a[get_global_id(0)] *= f;
}
// case
// with: work-group-size simd=8 units=3
// host: kernel=scale dim=2 global=1024,1024 local=64,1
// case: lanes divide the groups
// with: work-group-size simd=8
// host: kernel=scale dim=2 global=1024,1024 local=12,1
