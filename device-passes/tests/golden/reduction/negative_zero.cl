// launch: negative_zero float[1000]:minus_zero int=N float[3]:minus_zero
__kernel void negative_zero(__global const float *a, int n, __global float *out)
{
    float s = out[0], t = out[1];
    for (int i = 0; i < n; i++)
        s += a[i];
    for (int i = 0; i < n; i++)
        t *= a[i];
    out[0] = s;
    out[1] = t;
    for (int i = 0; i < n; i++)
        out[2] += a[i];
}
