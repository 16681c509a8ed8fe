// with: promote=64

// case: outputs that each iteration adds to
// Each output is added to in every iteration: registers, which are written once.
__kernel void sums(__global const float *restrict a, __global float *restrict out, int n, int m) {
    for (int k = 0; k < n; k++)
        for (int y = 0; y < 2; y++)
            for (int x = 0; x < 4; x++)
                out[y * 4 + m + x] += a[k] * x;
}

// case: the rows may overlap
__kernel void k(__global const float *restrict a, __global float *restrict out, int n, int m) {
    for (int k = 0; k < n; k++)
        for (int y = 0; y < 2; y++)
            for (int x = 0; x < 4; x++)
                out[y * m + x] += a[k] * x;
}

// case: the rows do overlap
__kernel void k(__global const float *restrict a, __global float *restrict out, int n, int m) {
    for (int k = 0; k < n; k++)
        for (int y = 0; y < 2; y++)
            for (int x = 0; x < 4; x++)
                out[y * 3 + x] += a[k] * x;
}

// case: another access
__kernel void k(__global const float *restrict a, __global float *restrict out, int n) {
    for (int k = 0; k < n; k++)
        for (int x = 0; x < 4; x++)
            out[x] += a[k] * out[4];
}

// case: a return
__kernel void k(__global const float *restrict a, __global float *restrict out, int n) {
    for (int k = 0; k < n; k++) {
        for (int x = 0; x < 4; x++)
            out[x] += a[k];
        if (a[k] > 9)
            return;
    }
}

// case: read, and perhaps written
__kernel void k(__global const float *restrict a, __global float *restrict out, int n) {
    for (int k = 0; k < n; k++)
        for (int x = 0; x < 4; x++)
            if (out[x] < a[k])
                out[x] = a[k];
}

// case: only written; nothing is expected
__kernel void k(__global const float *restrict a, __global float *restrict out, int n) {
    for (int k = 0; k < n; k++)
        for (int x = 0; x < 4; x++)
            out[x] = a[k];
}
