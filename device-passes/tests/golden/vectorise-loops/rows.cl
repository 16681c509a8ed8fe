// host: unknown
// with: vectorise-loops=4
__kernel void rows(__global const float *a, __global float *restrict out, int n)
{
    int y = get_global_id(0);
    for (int j = 0; j < n; j++) {
        float t = a[j] * 2.0f;
        out[y * n + j] = t > 3.0f ? t : out[y * n + j];
    }
}
__kernel void sums(__global const int *a, __global int *restrict out, uint n)
{
    int sum = 3;
    long wide = 0;
    for (uint j = 1; j <= n; j++)
        if (a[j] > 0) {
            sum += a[j];
            wide -= a[j];
        }
    out[get_global_id(0)] = sum + wide;
}
__kernel void branches(__global const int *a, __global int *restrict out, __global int *restrict last, int n)
{
    int sum = 0;
    for (int j = 0; j < n; j++)
        if (a[j] > 2) out[j] = a[j];
    for (int j = 0; j < n; j++)
        sum += a[j];
    last[0] = sum;
}
