// host: dim=1 global=64 local=16
// with: vectorise=4
__kernel void guarded(__global const float *a, __global float *b, int n)
{
    int i = get_global_id(0);
    if (i < n && n > 3) {
        float x = a[i];
        for (int k = 0; k < n; k++)
            x = x * 0.5f + k;
        b[i] = x;
    }
}
__kernel void returns(__global const float *a, __global float *b, int w, int h)
{
    int i = get_global_id(0);
    if (i >= w || a[i] > 3.0f)
        return;
    b[i] = a[i];
}
__kernel void selects(__global const float *a, __global float *b, __global char *c, long n)
{
    int i = get_global_id(0);
    float x = a[i], y = 0;
    int count = 0;
    long wide = i;
    char odd = c[i];
    if (x > 2) { float t = x * 2; y = t; count++; wide += 2; odd = 1; }
    else { y = -x; wide = x < 0 ? -wide : n; }
    b[i] = x > y && !(odd == 3) ? x : y;
    b[i] += n > 3 ? x : 1.0f;
    b[i] += x > 1 ? a[count] : isnan(y);
    c[i] = x == y;
    c[i] = c[i] << count | (char)wide;
    bool flag = x < y || isinf(x);
    if (flag) count = 5;
    b[i] += count + flag;
}
__kernel void arrays(__global const float *a, __global float *b, int n)
{
    int i = get_global_id(0);
    float acc[4] = {0}, by_lane[4] = {1, 2, 3, 4};
    const int table[4] = {4, 2, 3, 1};
    float2 pair = (float2)(a[i], a[i + 1]);
    __global const float *p = a + i;
    for (int k = 0; k < 4; k++)
        acc[k] += a[i + k * n] * table[k];
    by_lane[i & 3] = acc[1];
    pair.x += by_lane[(i + 1) & 3];
    float s, c;
    s = sincos(pair.x, &c);
    b[i] = acc[0] + acc[3] + pair.y + table[i & 3] + p[n] + s * c;
}
float helper(float x, int k) { return k > 2 ? x * k : fabs(x); }
__kernel void calls(__global const float *a, __global float *b, __global int *h, int n)
{
    int i = get_global_id(0);
    float x = helper(a[i], n);
    b[i] = exp(x) + fmax(x, 2.0f) + convert_uchar_sat(x) + abs(i - n) + as_int(x);
    atomic_inc(&h[(int)x & 3]);
}
