// launch: uses_helper float[1000] int=N float[1]
float total(__global const float *a, int n)
{
    float sum = 0.0f;
    for (int j = 0; j < n; ++j)
        sum += a[j];
    return sum;
}

__kernel void uses_helper(__global const float *a, int n, __global float *out)
{
    out[0] = total(a, n) + total(a, n / 2);
}
