
__kernel void largest(__global const float *a, __global float *out, int n) {
    int row = get_global_id(0);
    float m = a[row * n];
    for (int i = 1; i < n; i++)
        if (a[row * n + i] > m) m = a[row * n + i];
    out[row] = m;
}
__kernel void smallest(__global const float *a, __global float *out, int n) {
    int row = get_global_id(0);
    float m = a[row * n];
    for (int i = 1; i < n; i++) m = a[row * n + i] < m ? a[row * n + i] : m;
    out[row] = m;
}
__kernel void sums(__global const float *a, __global float *out, int n) {
    int row = get_global_id(0);
    float sum = -0.0f;
    for (int i = 0; i < n; i++) sum += a[row * n + i];
    out[row] = sum;
}
__kernel void in_place(__global const float *a, __global float *out, int n) {
    int row = get_global_id(0);
    for (int i = 0; i < n; i++)
        if (!(out[row] >= a[row * n + i])) out[row] = a[row * n + i];
}
