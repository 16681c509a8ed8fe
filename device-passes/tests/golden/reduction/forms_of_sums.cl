// launch: forms float[1000] float[1000] int=N float[8]
__kernel void forms(__global const float *a, __global const float *b, int n, __global float *out)
{
    float s0 = out[0], s1 = out[1], s2 = out[2], s3 = out[3], s4 = out[4], s5 = out[5], s6 = out[6];
    for (int i = 0; i < n; i++) {
        s0 = s0 + a[i];
        s1 = a[i] * b[i] + s1;
        s2 -= a[i];
        s3 = s3 - b[i];
        s4 = fma(a[i], b[i], s4);
        s5 = s5 + a[i] - b[i];
        s6 = a[i] + (b[i] + s6);
    }
    out[0] = s0;
    out[1] = s1;
    out[2] = s2;
    out[3] = s3;
    out[4] = s4;
    out[5] = s5;
    out[6] = s6;
}
