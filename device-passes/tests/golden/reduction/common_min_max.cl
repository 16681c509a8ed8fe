// launch: common_min_max float[1000] int=N float[2]
__kernel void common_min_max(__global const float *a, int n, __global float *out)
{
    float lo = out[0], hi = out[1];
    for (int i = 0; i < n; i++) {
        lo = min(lo, a[i]);
        hi = max(a[i], hi);
    }
    out[0] = lo;
    out[1] = hi;
}
