__kernel void k0(__global const int *restrict a, __global int *restrict b) {
    for (int y = 1; y < 15; y++) {
        int sum = 0;
        for (int x = 1; x < 31; x++) {
            sum += a[y * 32 + x - 1] + a[(y - 1) * 32 + x + 1];
            b[y * 32 + x] = sum;
        }
    }
}
