// launch: products float[1000]:signs double[1000]:signs int=N float[1] double[2]
__kernel void products(__global const float *a, __global const double *d, int n, __global float *out,
                       __global double *dout)
{
    float p = *out;
    double q = dout[0], r = dout[1];
    for (int i = 0; i < n; i++) {
        p *= a[i];
        q = q * d[i];
        r = a[i] * r * d[i];
    }
    *out = p;
    dout[0] = q;
    dout[1] = r;
}
