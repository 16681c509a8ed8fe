// Variables that hold nothing but addresses in the table point to `__constant` memory, too.
// host: dim=1 global=64 local=null args=t,o
// buffer: t 64 READ_ONLY COPY_HOST_PTR
// buffer: o 1048576 READ_WRITE
typedef struct { float at[3]; int step; } entry;
float sum(__global const float *from) { return from[0] + from[1]; }
__kernel void k1(__global const float *table, __global float *out, int n)
{
    int i = get_global_id(0);
    __global const float *q = table + i; out[i] = q[0];
}
__kernel void k2(__global const float *table, __global float *out, int n)
{
    int i = get_global_id(0);
    __global const float *q; q = table; q += 2; out[i] = *q++ + *q;
}
__kernel void k3(__global const float *table, __global float *out, int n)
{
    int i = get_global_id(0);
    for (__global const float *q = table; q < table + n; q++) out[i] += *q;
}
__kernel void k4(__global const float *table, __global float *out, int n)
{
    int i = get_global_id(0);
    __global const float *q = table, *r = q + 1; out[i] = r - q + r[i] + *(q = r);
}
__kernel void k5(__global const float *table, __global float *out, int n)
{
    int i = get_global_id(0);
    for (; n > 0; n--, table++) out[i] += *table; __global const float *q = table; out[i] += q[0];
}
__kernel void k6(__global const float *table, __global float *out, int n)
{
    int i = get_global_id(0);
    __global const float *q = n > 1 ? table : table + 1; out[i] = *(n ? q : table);
}
__kernel void k7(__global const entry *table, __global float *out, int n)
{
    int i = get_global_id(0);
    __global const float *q = table[i].at; out[i] = q[0] + (&table[i].at[1])[0];
}
