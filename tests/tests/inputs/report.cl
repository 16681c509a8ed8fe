// <b>doubles</b>
__kernel void scale(__global const float *in, __global float *out, int n)
{
    int i = get_global_id(0);
    out[i] = in[i] * 2.0f;
}
__kernel void chain(__global const float *in, __global float *out, int n) {
    float x = in[get_global_id(0)];
    #pragma unroll 1
    for (int i = 0; i < n; i++)
        x = x * x + in[i];
    out[get_global_id(0)] = x;
}
