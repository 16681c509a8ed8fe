// host: dim=1 global=64 local=null args=t,o
// buffer: t 64 READ_ONLY COPY_HOST_PTR
// buffer: o 1048576 READ_WRITE
typedef struct { float at[3]; int step; } entry;
float sum(__global const float *from) { return from[0] + from[1]; }
__kernel void k1(__global const float *table, __global float *out, int n)
{
    int i = get_global_id(0);
    __global const float *q = table; if (n) q = out; out[i] = q[0];
}
__kernel void k2(__global const float *table, __global float *out, int n)
{
    int i = get_global_id(0);
    __global const float *q = out; if (n) q = table; out[i] = q[0];
}
__kernel void k3(__global const float *table, __global float *out, int n)
{
    int i = get_global_id(0);
    __global const float *q[2] = {table, table + 1}; out[i] = q[n][0];
}
__kernel void k4(__global const float *table, __global float *out, int n)
{
    int i = get_global_id(0);
    __global const volatile float *q = table; out[i] = q[0];
}
__kernel void k5(__global const float *table, __global float *out, int n)
{
    int i = get_global_id(0);
    __global const float *q = table, **r = &q; out[i] = **r;
}
__kernel void k6(__global const float *table, __global float *out, int n)
{
    int i = get_global_id(0);
    out[i] = table - out;
}
__kernel void k7(__global const float *table, __global float *out, int n)
{
    int i = get_global_id(0);
    out[i] = table < out;
}
__kernel void k8(__global const float *table, __global float *out, int n)
{
    int i = get_global_id(0);
    out[i] = *(n > 1 ? table : out);
}
__kernel void k9(__global const float *table, __global float *out, int n)
{
    int i = get_global_id(0);
    out[i] = sum(table + 1);
}
__kernel void k10(__global const float *table, __global float *out, int n)
{
    int i = get_global_id(0);
    out[i] = ((__global const float2 *)table)[i].x;
}
__kernel void k11(__global const float *table, __global float *out, int n)
{
    int i = get_global_id(0);
    if (table != 0) out[i] = table[0];
}
__kernel void k12(__global const float *table, __global float *out, int n)
{
    int i = get_global_id(0);
    if (table) out[i] = table[0];
}
__kernel void k13(__global const float *table, __global float *out, int n)
{
    int i = get_global_id(0);
    prefetch(table, 16); out[i] = table[0];
}
__kernel void k14(__global const float *table, __global float *out, int n)
{
    int i = get_global_id(0);
    out[i] = sum(table);
}
__kernel void k15(__global const volatile float *table, __global float *out, int n)
{
    int i = get_global_id(0);
    out[i] = table[i];
}
__kernel void k16(__global const float *table __attribute__((buffer_location("ddr"))), __global float *out, int n)
{
    int i = get_global_id(0);
    out[i] = table[i & 15];
}
