// host: dim=1 global=64 local=16 args=a,64
// with: coalesce=0
__kernel void fill(__global int *restrict a, int n) {
    int start = 1024 * (int)get_global_id(0);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < 32; j++)
            a[start + 32 * i + j] = i ^ j;
}
