// host: dim=1 global=1 local=1 args=a,b,64
// with: unroll=1:4
__kernel void sums(__global const int *restrict a, __global int *restrict b, int n) {
    for (int i = 0; i < n; i++) {
        int sum = 0;
        for (int j = 0; j < 64; j++)
            sum += a[64 * i + j];
        b[i] = sum;
    }
}
