// with: restrict
// host: dim=1 global=1 local=1
// case: it may be written
__kernel void written(__global const float *restrict a, __global float *restrict b,
                      __global int *restrict up) {
    for (int y = 0; y < 40; y++)
        for (int x = 0; x < 64; x++) {
            b[y * 64 + x] = a[up[y] * 64 + x];
            up[x] = x;
        }
}
// case: not all of it is read
__kernel void partly(__global const float *restrict a, __global float *restrict b,
                     __global const int *restrict up) {
    for (int y = 0; y < 40; y++)
        for (int x = 0; x < 64; x++)
            b[y * 64 + x] = y > 3 ? a[up[y] * 64 + x] : 0;
}
// case: not from 0, by another index, no index
__kernel void others(__global const float *restrict a, __global float *restrict b,
                     __global const int *restrict up) {
    for (int y = 1; y < 40; y++)
        b[y] = a[up[y]];
    for (int y = 0; y < 40; y++)
        b[y] = a[up[y + 1]];
    for (int y = 0; y < 40; y++)
        b[y] = a[y] + up[y];
}
