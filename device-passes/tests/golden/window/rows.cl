// host: dim=1 global=1 local=1 args=a,b
__kernel void jacobi(__global const float *restrict a, __global float *restrict b) {
    for (int y = 1; y < 63; y++)
        for (int x = 1; x < 63; x++)
            b[y * 64 + x] = 0.2f * (a[y * 64 + x] + a[y * 64 + x - 1] + a[y * 64 + x + 1] +
                                    a[(y - 1) * 64 + x] + a[(y + 1) * 64 + x]);
}
__kernel void conv(__global const float *restrict a, __constant float *restrict k, __global float *restrict b) {
    for (int y = 1; y < 63; y++)
        for (int x = 1; x < 63; x++) {
            float sum = 0;
            for (int i = 0; i < 3; i++)
                for (int j = 0; j < 3; j++)
                    sum += k[i * 3 + j] * a[(y + i - 1) * 64 + x + j - 1];
            b[y * 64 + x] = sum;
        }
}
__kernel void borders(__global const float *restrict p, __global const float *restrict a, __global float *restrict b) {
    for (int y = 0; y < 64; ++y) {
        for (int x = 0; x < 64; ++x) {
            int c = x + y * 64;
            int n = (y == 63) ? 0 : 64;
            int s = (y == 0) ? 0 : -64;
            int e = (x == 63) ? c : c + 1;
            int w = (x == 0) ? c : c - 1;
            b[c] = p[c] + a[c + n] + a[c + s] - 2.0f * a[c] + a[e] + a[w];
        }
    }
}
__kernel void inner(__global const float *restrict a, __global float *restrict b) {
    for (int y = 0; y < 64; y++)
        for (int x = 0; x < 64; x++) {
            if (x == 0 || x >= 63 || y == 0 || y >= 63)
                continue;
            b[y * 64 + x] = a[y * 64 + x - 1] + a[y * 64 + x + 1] + a[(y - 1) * 64 + x] + a[(y + 1) * 64 + x];
        }
}
__kernel void cube(__global const float *restrict a, __global float *restrict b) {
    for (int z = 0; z < 8; z++)
        for (int y = 0; y < 16; y++)
            for (int x = 0; x < 32; x++) {
                int c = x + y * 32 + z * 32 * 16;
                int w = (x == 0) ? c : c - 1;
                int e = (x == 31) ? c : c + 1;
                int n = (y == 0) ? c : c - 32;
                int s = (y == 15) ? c : c + 32;
                int bo = (z == 0) ? c : c - 32 * 16;
                int to = (z == 7) ? c : c + 32 * 16;
                b[c] = a[c] + a[n] + a[s] + a[e] + a[w] + a[to] + a[bo];
            }
}
