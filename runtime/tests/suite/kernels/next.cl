__kernel void next(__global const int *a, __global int *b, int n)
{
    int i = get_global_id(0);
    if (i > 0)
        b[i] = a[i] * 3 + n;
}
