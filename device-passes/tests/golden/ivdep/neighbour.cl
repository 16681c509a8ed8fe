// host: dim=1 global=1 local=1 args=a,64
__kernel void prefix(__global int *restrict a, int n) {
    for (int i = 1; i < n; i++)
        a[i] = a[i - 1] + a[i];
}
