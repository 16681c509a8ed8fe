// host: dim=1 global=1 local=1 args=a,64
__kernel void shift(__global int *restrict a, int n) {
    for (int i = 0; i < 512; i++)
        a[i] = a[i + 512] + n;
}
