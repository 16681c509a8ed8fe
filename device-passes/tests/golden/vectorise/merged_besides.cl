__kernel void multiply(__global const float *a, __global const float *b, __global float *c, int n)
{
    int x = get_global_id(0), y = get_global_id(1);
    float sum = 0.0f;
    for (int k = 0; k < n; k++)
        sum += a[y * n + k] * b[k * n + x];
    c[y * n + x] = sum;
}
// case: another dimension
// with: vectorise=4 coarsen coarsen=1:2
// host: dim=2 global=64,64 local=16,16
// case: the same
// with: vectorise=4 coarsen coarsen=0:2:local
// host: dim=2 global=64,64 local=16,16
// case: the same, but there are not enough
// with: vectorise=4 coarsen coarsen=0:2
// host: dim=2 global=64,64 local=4,16
// case: groups
// with: vectorise=2 coarsen coarsen=0:2:1:groups
// host: dim=2 global=64,64 local=4,16
