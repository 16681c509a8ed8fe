// host: dim=1 global=64 local=16
// with: vectorise=4
float first_above(int x, float y)
{
    if (x > y) return x;
    for (int i = 0; i < 5; i++) {
        y += i;
        if (y > x) return y * 2;
    }
    return -1;
}
__kernel void flags(__global const float *s, __global int *o)
{
    int i = get_global_id(0);
    bool seen = o[i];
    if (s[i] > 2) seen = o[i] - 5;
    o[i] = (int)first_above(i, s[i]) + (seen == true);
}
__kernel void words(__global const short *a, __global int *o)
{
    int i = get_global_id(0);
    o[i] = mul24(a[i], (short)3) + mad24(a[i], a[i], (short)1);
}
