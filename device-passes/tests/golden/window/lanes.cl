// with: lanes=4
// host: dim=1 global=1 local=1 args=a,b
__kernel void borders(__global const float *restrict a, __global float *restrict b) {
    for (int y = 0; y < 64; ++y)
        for (int x = 0; x < 64; ++x) {
            int c = x + y * 64;
            int n = (y == 63) ? 0 : 64;
            int s = (y == 0) ? 0 : -64;
            int e = (x == 63) ? c : c + 1;
            int w = (x == 0) ? c : c - 1;
            b[c] = a[c + n] + a[c + s] - 2.0f * a[c] + a[e] + a[w];
        }
}
__kernel void jacobi(__global const float *restrict a, __global float *restrict b) {
    for (int y = 1; y < 63; y++)
        for (int x = 1; x < 63; x++)
            b[y * 64 + x] = 0.2f * (a[y * 64 + x] + a[y * 64 + x - 1] + a[y * 64 + x + 1] +
                                    a[(y - 1) * 64 + x] + a[(y + 1) * 64 + x]);
}
__kernel void row(__global const float *restrict a, __global float *restrict b) {
    for (int x = 1; x < 63; x++)
        b[x] = a[x - 1] + a[x] + a[x + 1];
}
__kernel void odd(__global const float *restrict a, __global float *restrict b) {
    for (int y = 0; y < 10; y++)
        for (int x = 0; x < 10; x++)
            b[y * 10 + x] = a[y * 10 + x] + a[y * 10 + x + 10];
}
