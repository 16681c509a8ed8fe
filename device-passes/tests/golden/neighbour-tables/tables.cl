// with: restrict
// host: dim=1 global=1 local=1
// case: rows before and after
__kernel void rows(__global const float *restrict a, __global float *restrict b,
                   __global const int *restrict up, __global const int *restrict down) {
    for (int y = 0; y < 40; y++)
        for (int x = 0; x < 64; x++)
            b[y * 64 + x] = a[up[y] * 64 + x] + a[down[y] * 64 + x];
}
// case: by way of variables, of both counters
__kernel void both(__global const float *restrict a, __global float *restrict b,
                   __global const int *restrict left, __global const int *restrict up) {
    for (int y = 0; y < 40; y++)
        for (int x = 0; x < 64; x++) {
            int at = y * 64 + left[x];
            int above = up[y];
            b[y * 64 + x] = a[at] + a[above * 64 + x];
        }
}
// case: with a switch
__kernel void chosen(__global const float *restrict a, __global float *restrict b,
                     __global const int *restrict up) {
    for (int y = 0; y < 40; y++)
        for (int x = 0; x < 64; x++) {
            float above = a[up[y] * 64 + x];
            switch (x & 3) {
            case 1:
                b[y * 64 + x] = above;
                break;
            default:
                b[y * 64 + x] = 0;
                break;
            }
        }
}
