// host: dim=1 global=1 local=1 args=a,b,1024
__kernel void blur(__global const float *restrict a, __global float *restrict b, int n) {
    for (int i = 1; i < n - 1; i++)
        b[i] = (a[i - 1] + a[i] + a[i + 1]) / 3.0f;
}
__kernel void far(__global const short *restrict a, __global short *restrict b, int n) {
    for (int i = 0; i < n; i++)
        b[i] = abs(a[i + 3]) + a[i];
}
__kernel void fir(__global const float *restrict a, __global const float *restrict h,
                  __global float *restrict b, int n) {
    for (int i = 0; i < n; i++) {
        float sum = 0;
        for (int j = 0; j < 8; j++)
            sum += a[i + j] * h[j];
        b[i] = sum;
    }
}
__kernel void rows(__global const float *restrict a, __global float *restrict b, int w, int h) {
    for (int y = 1; y < h - 1; y++) {
        for (int x = 1; x < w - 1; x++) {
            int c = y * w + x;
            b[c] = a[c] + a[c - 1] + a[c + 1] + a[c - w] + a[c - w - 1] + a[c + w];
        }
    }
}
