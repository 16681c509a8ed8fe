// launch: sometimes float[1001] float[1001] int=N float[8]
__kernel void sometimes(__global const float *restrict a, __global const float *restrict b, int n,
                        __global float *restrict out)
{
    for (int i = 0; i < n; i++)
        if (b[i] > 0.0f)
            out[0] += a[i];
    // Never, and far behind the end.
    for (int i = 0; i < n; i++)
        if (b[i] > 1e30f)
            out[1 << 28] -= a[i];
    for (int i = 0; i < n; i++) {
        if (b[i] == 2.0f) {
            out[2] += a[i];
            continue;
        }
        if (i == 500)
            break;
        out[2] = out[2] - b[i];
    }
    int k = 0;
    while (k++ < n)
        if (a[k] < 0.0f)
            out[3] *= -1.0f;
    for (int i = 0; i < n; i++) {
        if (b[i] < 0.0f)
            out[4] += a[i];
        if (b[i] > 0.0f)
            out[5] += a[i] * b[i];
    }
}
