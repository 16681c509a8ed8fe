// host: dim=1 global=1 local=1 args=a,o,64
__kernel void rows(__global const int *a, __global int *o, int n) {
    for (int i = 0; i < n; i++)
        for (int j = 0; j < 64; j++)
            o[i] += a[64 * i + j];
}
