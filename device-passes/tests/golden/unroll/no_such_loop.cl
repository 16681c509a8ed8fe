// host: dim=1 global=1 local=1 args=a,64
// with: unroll=3:4
__kernel void fill(__global int *restrict a, int n) {
    for (int i = 0; i < n; i++)
        a[i] = i;
}
