// with: elements=100
// host: dim=1 global=1 local=1 args=a,b

// The planes above and below are far: with so few elements, each has a window of its own.
__kernel void planes(__global const float *restrict a, __global float *restrict b) {
    for (int z = 1; z < 31; z++)
        for (int y = 1; y < 31; y++)
            for (int x = 1; x < 31; x++) {
                int c = (z * 32 + y) * 32 + x;
                b[c] = a[c] + a[c - 1] + a[c + 1] + a[c - 32] + a[c + 32] + a[c - 1024] + a[c + 1024];
            }
}
