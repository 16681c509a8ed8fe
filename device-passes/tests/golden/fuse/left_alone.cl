// host: dim=1 global=1 local=1
// case: the second reads what is not yet stored
__kernel void newer(__global const float *restrict a, __global float *restrict b, __global float *restrict c, int n) {
    for (int i = 0; i < n; i++)
        b[i] = a[i];
    for (int i = 0; i < n; i++)
        c[i] = b[i + 1];
}
// case: the second overwrites what is still read
__kernel void early(__global float *restrict a, __global float *restrict b, int n) {
    for (int i = 1; i < n; i++)
        b[i] = a[i - 1];
    for (int i = 1; i < n; i++)
        a[i] = 0.0f;
}
// case: both store the same elements
__kernel void twice(__global float *restrict a, int n) {
    for (int i = 0; i < n; i++)
        a[2 * i] = 1.0f;
    for (int i = 0; i < n; i++)
        a[3 * i] = 2.0f;
}
// case: an address that is not known
__kernel void tables(__global const int *restrict t, __global float *restrict a, __global float *restrict b, int n) {
    for (int i = 0; i < n; i++)
        a[i] = 1.0f;
    for (int i = 0; i < n; i++)
        b[i] = a[t[i]];
}
// case: what may be the same memory
__kernel void same(__global const float *a, __global float *b, __global float *c, int n) {
    for (int i = 0; i < n; i++)
        b[i] = a[i];
    for (int i = 0; i < n; i++)
        c[i] = 1.0f;
}
// case: a sum that the second needs
__kernel void sums(__global const float *restrict a, __global float *restrict b, int n) {
    float s = 0.0f;
    for (int i = 0; i < n; i++)
        s += a[i];
    for (int i = 0; i < n; i++)
        b[i] = a[i] / s;
}
// case: other trip counts, and other steps
__kernel void trips(__global float *restrict a, __global float *restrict b, __global float *restrict c, int n, int m) {
    for (int i = 0; i < n; i++)
        a[i] = 1.0f;
    for (int i = 0; i < m; i++)
        b[i] = 1.0f;
    for (int i = 0; i < m; i += 2)
        c[i] = 1.0f;
    for (int i = 1; i < m; i += 2)
        a[i] = 1.0f;
}
// case: other types
__kernel void types(__global float *restrict a, __global float *restrict b, int n) {
    for (int i = 0; i < n; i++)
        a[i] = 1.0f;
    for (long i = 0; i < n; i++)
        b[i] = 1.0f;
}
// case: left early
__kernel void early_out(__global const float *restrict a, __global float *restrict b, __global float *restrict c, int n) {
    for (int i = 0; i < n; i++) {
        if (a[i] > 3.0f)
            break;
        b[i] = 1.0f;
    }
    for (int i = 0; i < n; i++)
        c[i] = 1.0f;
}
// case: an iteration of the first ends early
__kernel void ends(__global const float *restrict a, __global float *restrict b, __global float *restrict c, int n) {
    for (int i = 0; i < n; i++) {
        if (a[i] > 3.0f)
            continue;
        b[i] = 1.0f;
    }
    for (int i = 0; i < n; i++)
        c[i] = 1.0f;
}
// case: the bound changes
__kernel void bound(__global float *restrict a, __global float *restrict b, int n) {
    for (int i = 0; i < n; i++)
        a[i] = 1.0f;
    for (int i = 0; i < n; i++) {
        b[i] = 1.0f;
        if (i == 7)
            n = 20;
    }
}
// case: something between that the first may change
__kernel void between(__global const float *restrict a, __global float *restrict b, __global float *restrict c, int n) {
    for (int i = 0; i < n; i++)
        b[i] = a[i];
    float s = b[0];
    for (int i = 0; i < n; i++)
        c[i] = s;
}
// case: what is printed comes in order
__kernel void prints(int n) {
    for (int i = 0; i < n; i++)
        printf("%d\n", i);
    for (int i = 0; i < n; i++)
        printf("again %d\n", i);
}
// case: atomics
__kernel void counts(__global const int *restrict a, __global int *restrict b, __global int *restrict c, int n) {
    for (int i = 0; i < n; i++)
        atomic_inc(&b[a[i] & 15]);
    for (int i = 0; i < n; i++)
        c[i] = 1;
}
// case: volatile memory
__kernel void volatiles(__global volatile int *restrict a, __global int *restrict c, int n) {
    for (int i = 0; i < n; i++)
        a[i] = 1;
    for (int i = 0; i < n; i++)
        c[i] = 1;
}
// case: a pragma of one
__kernel void pragmas(__global int *restrict a, __global int *restrict c, int n) {
    #pragma unroll 4
    for (int i = 0; i < n; i++)
        a[i] = 1;
    for (int i = 0; i < n; i++)
        c[i] = 1;
}
// case: a counter that outlives its loop
__kernel void outlives(__global int *restrict a, __global int *restrict c, int n) {
    int j;
    for (int i = 0; i < n; i++)
        a[i] = 1;
    for (j = 0; j < n; j++)
        c[j] = 1;
    c[n] = j;
}
// case: the loops inside
__kernel void inside(__global const float *restrict a, __global float *restrict b, __global float *restrict c) {
    for (int y = 0; y < 16; y++)
        for (int x = 0; x < 64; x++)
            b[y * 64 + x] = a[y * 64 + x];
    for (int y = 0; y < 16; y++)
        for (int x = 0; x < 64; x++)
            c[y * 64 + x] = b[y * 64 + 63 - x];
}
// case: a function that is not seen through
void put(__global float *a, int i) {
    a[i + 1] = 1.0f;
}
__kernel void functions(__global float *restrict a, __global float *restrict b, int n) {
    for (int i = 0; i < n; i++)
        put(a, i);
    for (int i = 0; i < n; i++)
        b[i] = a[i];
}
