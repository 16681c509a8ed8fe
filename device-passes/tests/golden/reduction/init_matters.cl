// launch: init_matters float[1000] int=N float[8]
__kernel void init_matters(__global const float *restrict a, int n, __global float *restrict out)
{
    float s;
    int i;
    for (s = 2.0f, i = 0; i < n; i++)
        s += a[i];
    out[0] = s;
    for (int k = 3, j = 0; j < 12; j++)
        out[k] += a[j];
    for (int k = 4, j = 0; j < n; j++)
        out[k] = fmin(out[k], a[j]);
    switch (n) {
    case 0:
        s = 1.0f;
    default:
        for (i = 0; i < n; i++)
            s *= 1.0f;
        out[1] = s;
        break;
    case 7:
        out[2] = 5.0f;
    }
}
