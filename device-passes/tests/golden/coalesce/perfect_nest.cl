// host: dim=1 global=1 local=1 args=a,64
// with: coalesce=0
__kernel void fill(__global int *restrict a, int n) {
    for (int i = 0; i < n; i++)
        for (int j = 0; j < 32; j++)
            a[32 * i + j] = i ^ j;
}
