// host: unknown
__kernel void scale(__global float *a, int n)
{
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++)
            a[i] += j;
        #pragma unroll 2
        for (int j = 0; j < n; j++)
            a[i] *= j;
        int k = n;
        while (k > 0)
            a[i] -= k--;
    }
}
// case
// with: unroll=9:4
// case
// with: unroll=0:4
// case
// with: unroll=2:4
// case
// with: unroll=1:4
// case
// with: unroll=3:4
