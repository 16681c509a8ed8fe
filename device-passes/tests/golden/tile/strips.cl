__kernel void product(__global const float *restrict a, __global const float *restrict b, __global float *restrict c,
                      int n, int m, int k)
{
    int col = get_global_id(0), row = get_global_id(1);
    if (row < n && col < m) {
        float sum = 0;
        for (int i = 0; i < k; i++) sum += a[row * k + i] * b[i * m + col];
        c[row * m + col] = sum;
    }
}
__kernel void square(__global const float *restrict a, __global const float *restrict b, __global float *restrict c)
{
    int col = get_global_id(0), row = get_global_id(1);
    float sum = 0;
    for (int i = 0; i < 1024; i++) sum += a[row * 1024 + i] * b[i * 1024 + col];
    c[row * 1024 + col] = sum;
}
// case: loops in strips
// with: work-group-size
// host: dim=2 global=?,? local=16,16
