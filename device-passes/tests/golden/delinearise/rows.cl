// with: restrict
// host: dim=1 global=1 local=1
// case: a quotient and a remainder
__kernel void plain(__global const float *restrict a, __global float *restrict b) {
    for (int i = 0; i < 6400; i++) {
        int y = i / 80, x = i % 80;
        b[i] = x > 0 ? a[y * 80 + x - 1] : a[i];
    }
}
// case: shifts and masks, without sign
__kernel void bits(__global const float *restrict a, __global float *restrict b) {
    for (uint i = 0; i < 4096u; ++i) {
        uint y = i >> 6;
        uint x = i & 63;
        b[x * 64 + y] = a[i];
    }
}
// case: one further, and the last of a row made good
__kernel void further(__global const float *restrict a, __global const int *restrict t,
                      __global float *restrict b) {
    for (int i = 0; i < 6400; i++) {
        int x, y;
        x = (i + 1) % 80 - 1;
        y = (i + 1) / 80 + 1 - 1;
        if ((i + 1) % 80 == 0) {
            x = 80 - 1;
            y = y - 1;
        }
        b[i] = a[t[x] + 80 * y];
    }
}
// case: one further, as it is
__kernel void wrapped(__global const float *restrict a, __global float *restrict b) {
    for (int i = 0; i < 6400; i++) {
        int next = (i + 1) % 80, line = (i + 1) / 80;
        b[i] = a[next] + line;
    }
}
// case: the last row is cut
__kernel void cut(__global const float *restrict a, __global float *restrict b) {
    for (int i = 0; i < 1000; i++) {
        int x = i % 80;
        if (x == 3)
            continue;
        b[i] = a[x];
    }
}
// case: fewer elements than iterations
__kernel void fewer(__global const float *restrict a, __global float *restrict b) {
    for (int i = 0; i < 7168; i++) {
        if (i >= 6400)
            continue;
        int x = i % 80;
        b[i] = a[x];
    }
    for (int i = 0; i < 7168; i++) {
        if (i < 6400) {
            int x = i % 80;
            b[i] = b[i] + x;
        }
    }
}
// case: planes of rows
__kernel void planes(__global const float *restrict a, __global float *restrict b) {
    for (int i = 0; i < 64000; i++) {
        int z = i / 6400;
        int in = i % 6400;
        int y = in / 80;
        int x = in % 80;
        b[i] = a[x * 6400 + y * 80 + z];
    }
}
