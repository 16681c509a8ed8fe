// host: dim=2 global=64,8 local=16,4
// with: vectorise=4
__kernel void saxpy(__global const float *x, __global float *y, float a)
{
    int i = get_global_id(0);
    y[i] = a * x[i] + y[i];
}
__kernel void ids(__global int *out, __global short *narrow)
{
    size_t g = get_global_id(0);
    uint u = g;
    out[g] = g + get_global_id(1) * get_global_size(0) + get_local_id(0) * get_local_size(0) + get_group_id(0);
    narrow[u] = u;
    narrow[u + 1] += 3;
    out[get_global_linear_id()]++;
}
__kernel void strides(__global const float *a, __global float *b, int n)
{
    int i = get_global_id(0), y = get_global_id(1);
    b[y * n + i] = a[2 * i] + a[i * n + y] + a[y] + a[(int)b[i]];
    b[3 * i] = 1.0f;
    b[(int)a[i]] = a[i] * 2;
}
__kernel void multiply(__global const float *a, __global const float *b, __global float *c, int n)
{
    int x = get_global_id(0), y = get_global_id(1);
    float sum = 0.0f;
    for (int k = 0; k < n; k++)
        sum += a[y * n + k] * b[k * n + x];
    c[y * n + x] = sum;
}
__kernel void tiles(__global const float *a, __global float *c, int n)
{
    __local float tile[16][17];
    int x = get_global_id(0), y = get_global_id(1), lx = get_local_id(0), ly = get_local_id(1);
    tile[ly][lx + 1] = a[y * n + x];
    barrier(CLK_LOCAL_MEM_FENCE);
    c[y * n + x] = tile[ly][lx] + tile[3][2];
}
