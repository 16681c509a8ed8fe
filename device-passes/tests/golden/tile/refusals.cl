__kernel void smooth(__global float *in, __global float *out)
{
    int x = get_global_id(0);
    out[x] = in[x] + in[x + 1] + in[x + 2];
}
__kernel void chosen(__global const float *restrict in, __global const int *restrict which,
                     __global float *restrict out)
{
    int x = get_global_id(0);
    float sum = 0;
    for (int i = 0; i < 5; i++) if (which[i] > 0) sum += in[x + i];
    out[x] = sum;
}
__kernel void until(__global const float *restrict in, __global float *restrict out)
{
    int x = get_global_id(0);
    float sum = 0;
    for (int i = 0; i < 5; i++) {
        if (sum > 10) break;
        sum += in[x + i];
    }
    out[x] = sum;
}
__kernel void large(__global const float *restrict in, __global float *restrict out)
{
    int x = get_global_id(0);
    float sum = 0;
    for (int j = 0; j < 16; j++)
        for (int i = 0; i < 1000; i++) sum += in[i * 1000 + x + j];
    out[x] = sum;
}
__kernel void wraps(__global const float *restrict in, __global float *restrict out)
{
    uint x = get_global_id(0);
    ulong at = x * 3 + 5;
    out[x] = in[at] + in[at - 1] + in[at + 1] + in[at + 2];
}
__kernel void alone(__global const float *restrict in, __global float *restrict out)
{
    out[get_global_id(0)] = in[get_global_id(0)];
}
__kernel void jumps(__global const float *restrict in, __global float *restrict out)
{
    int x = get_global_id(0);
again:
    out[x] = in[x] + in[x + 1];
    if (out[x] > 100) goto again;
}
__kernel void met(__global const float *restrict in, __global float *restrict out, int n)
{
    int x = get_global_id(0);
    float sum = 0;
    for (int i = 0; i < n; i++) {
        barrier(CLK_LOCAL_MEM_FENCE);
        sum += in[i];
    }
    out[x] = sum;
}
// case: why not
// with: work-group-size
// host: dim=1 global=? local=64
// case: the size of groups is not known
// host: dim=1 global=? local=?
