// with: restrict
// host: dim=1 global=1 local=1
// case: a running sum
__kernel void sums(__global int *restrict a, __global const int *restrict b, int n) {
    for (int i = 1; i < n; i++)
        a[i] = a[i - 1] + b[i];
}
// case: the loop is sure to run; rows are left to the memory
__kernel void rows(__global int *restrict a, __global const int *restrict b, int w) {
    for (int y = 1; y < 9; y++) {
        for (int x = 1; x < 8; x++) {
            int at = y * w + x;
            int left = a[at - 1];
            int up = a[at - w];
            a[at] = max(left, up) + b[at];
        }
    }
}
// case: downwards by two, beside other reads
__kernel void down(__global float *restrict a, __global const float *restrict b, int n) {
    for (int i = n; i > 0; i -= 2) {
        float next = b[i] > 0.0f ? a[i + 2] : a[i];
        a[i] = next * 0.5f + a[i + 2];
    }
}
// case: two iterations before, and the one between
__kernel void fibonacci(__global int *restrict a, int n) {
    for (int i = 2; i < n; i++)
        a[i] = a[i - 1] + a[i - 2];
}
// case: three before, where nobody is sure to read those between; by threes, and in a wider type
__kernel void comb(__global float *restrict a, int n) {
    for (int i = 9; i < n; i += 3)
        a[(long)i] = a[i - 9] * 0.5f;
}
// case: the oldest may not be read by the first iteration
__kernel void oldest(__global int *restrict a, int n) {
    for (int i = 1; i < n; i++)
        a[i] = a[i - 1] + (i > 3 ? a[i - 3] : 0);
}
// case: a loop with others in it, and what stands after it
__kernel void nests(__global int *restrict a, __global int *restrict b, int n) {
    for (int i = 1; i < n; i++) {
        int sum = a[i - 1];
        for (int j = 0; j < 3; j++)
            sum += j * i;
        for (int j = 0; j < 3; j++)
            sum ^= j;
        a[i] = sum;
    }
    for (int i = 1; i < n; i++)
        b[i] = b[i - 1] * 3 + a[i];
}
