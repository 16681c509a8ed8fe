// launch: extremes float[1000]:any int=N float[8]:any
__kernel void extremes(__global const float *a, int n, __global float *out)
{
    float lo = out[0], hi = out[1], lo2 = out[2], hi2 = out[3], lo3 = out[4], hi3 = out[5];
    for (int i = 0; i < n; i++) {
        lo = fmin(lo, a[i]);
        hi = fmax(a[i], hi);
        lo2 = a[i] < lo2 ? a[i] : lo2;
        hi2 = hi2 < a[i] ? a[i] : hi2;
        if (a[i] < lo3)
            lo3 = a[i];
        if (hi3 <= a[i]) {
            hi3 = a[i];
        }
    }
    out[0] = lo;
    out[1] = hi;
    out[2] = lo2;
    out[3] = hi2;
    out[4] = lo3;
    out[5] = hi3;
}
