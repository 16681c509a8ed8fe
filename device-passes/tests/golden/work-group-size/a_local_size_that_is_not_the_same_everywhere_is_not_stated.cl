// with: simd=4
__kernel void scale(__global float *a, float f)
{
    a[get_global_id(0)] *= f;
}
// case
// host: kernel=scale dim=2 global=1024,1024 local=64,4
// host: kernel=scale dim=2 global=1024,1024 local=32,4
// case
// host: kernel=scale dim=2 global=1024,1024 local=null
// case
// host: kernel=scale dim=2 global=1024,1024 local=64,4
// host: kernel=scale dim=2 global=1024,1024 local=null
// case
// host: unknown
