// with: work-group-size simd=4 units=4
// host: kernel=scale dim=2 global=1024,1024 local=1,1
__kernel void scale(__global float *a, float f)
{
    for (int i = 0; i < 8; i++)
        a[i] *= f;
}
