// aoc joins loops of NDRanges by itself.
// with: coalesce=0
// host: unknown
__kernel void scale(__global float *a, int n)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            a[get_global_id(0)] += i * j;
}
