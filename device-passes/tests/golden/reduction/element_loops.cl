// launch: loops float[1000] int=N float[8] float[1]
typedef struct {
    float total;
    float other;
} Pair;

__kernel void loops(__global const float *restrict a, int n, __global float *restrict out,
                    __global float *restrict p)
{
    int i = 0;
    do {
        out[0] += a[i];
        out[1] -= a[i];
    } while (++i < n);
    i = 0;
    while (i < n) {
        *p += a[i];
        i++;
    }
    for (i = 0; i < 16; i++)
        out[2] = fmax(out[2], a[i]);
    Pair pair = {0.0f, 1.0f};
    float v[4] = {0.0f, 0.0f, 0.0f, 0.0f};
    float4 w = (float4)(0.0f);
    for (i = 0; i < n; i++) {
        pair.total += a[i];
        if (a[i] > 0.0f)
            v[2] += a[i];
        w.y += a[i];
    }
    out[3] = pair.total;
    out[4] = v[2];
    out[5] = w.y;
}
