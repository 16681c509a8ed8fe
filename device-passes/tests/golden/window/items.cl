// host: dim=1 global=64 local=16 args=a,b,1024
__kernel void items(__global const int *restrict a, __global int *restrict b, int n) {
    int g = get_global_id(0);
    for (int i = 0; i < n; i++)
        b[g] += a[g + i] + a[g + i + 1];
}
