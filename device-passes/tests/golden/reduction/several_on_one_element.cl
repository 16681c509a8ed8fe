// launch: several float[1000] int=N float[2]
__kernel void several(__global const float *restrict a, int n, __global float *restrict out)
{
    for (int i = 0; i < n; i++) {
        out[0] = fmax(out[0], a[i]);
        out[0] = fmax(out[0], a[999 - i]);
        out[1] += a[i];
        out[1] -= a[999 - i] * 2.0f;
    }
}
