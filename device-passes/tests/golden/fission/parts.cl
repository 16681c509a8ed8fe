// host: dim=1 global=1 local=1
// case: a part that waits for itself, and one that does not
__kernel void waits(__global const float *restrict a, __global float *restrict b, __global float *restrict c, int n) {
    for (int i = 1; i < n; i++) {
        b[i] = b[i - 1] * 0.5f + a[i];
        c[i] = a[i] * a[i];
    }
}
// case: what is used first comes first
__kernel void order(__global const float *restrict a, __global float *restrict b, __global float *restrict c, int n) {
    for (int i = 1; i < n; i++) {
        c[i] = b[i - 1] * 3.0f;
        b[i] = b[i - 1] + a[i];
    }
}
// case: statements change places
__kernel void places(__global const float *restrict a, __global float *restrict b, __global float *restrict c, __global float *restrict d, int n) {
    for (int i = 1; i < n; i++) {
        c[i] = a[i] + 1.0f;
        b[i] = b[i - 1] + a[i];
        d[i] = c[i] + 1.0f;
    }
}
// case: indices that each loop computes
__kernel void indices(__global const float *restrict a, __global float *restrict b, __global float *restrict c, int n, int m) {
    for (int i = 1; i < n; i++) {
        int row = 4 * i + m, before = row - 4;
        b[row] = b[before] + a[row];
        c[row + 1] = a[before];
    }
}
// case: values that flow
__kernel void values(__global const float *restrict a, __global float *restrict b, __global float *restrict c) {
    for (int i = 1; i < 500; i++) {
        float v = a[i] * 2.0f, w;
        w = v + a[i - 1];
        b[i] = b[i - 1] + v * w;
    }
}
// case: a sum
__kernel void sum(__global const float *restrict a, __global float *restrict b, int n) {
    float s = 0.0f;
    for (int i = 0; i < n; i++) {
        s += a[i];
        b[i] = a[i] * 2.0f;
    }
    b[n] = s;
}
// case: loops inside become nests
__kernel void nests(__global const float *restrict a, __global float *restrict b, __global float *restrict c) {
    for (int y = 0; y < 16; y++) {
        for (int x = 0; x < 64; x++)
            b[y * 64 + x] = a[y * 64 + x] * 2.0f;
        c[y] = 1.0f;
        for (int x = 1; x < 63; x++)
            b[y * 64 + x] = b[y * 64 + x] + a[y * 64 + x - 1];
    }
}
// case: a counter from outside
__kernel void outside(__global const float *restrict a, __global float *restrict b, __global float *restrict c, int n) {
    int i;
    for (i = 1; i < n; i += 2) {
        b[i] = b[i - 1] + b[i - 2] + a[i];
        c[i] = a[i];
    }
    c[0] = i;
}
// case: a pointer of the iteration that nobody uses
__kernel void idle(__global const uint *restrict a, __global uint *restrict b, __global uint *restrict c) {
    for (int i = 1; i < 100; i++) {
        uint x = a[i];
        uint *p = &x;
        b[i] = b[i - 1] + a[i];
        for (int j = 0; j < 3; j++)
            c[i] |= a[j];
    }
}
