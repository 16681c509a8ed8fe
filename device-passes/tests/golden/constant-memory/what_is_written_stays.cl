// host: dim=1 global=64 local=null args=t,o
// buffer: t 64 READ_ONLY COPY_HOST_PTR
// buffer: o 1048576 READ_WRITE
typedef struct { float at[3]; int step; } entry;
float sum(__global const float *from) { return from[0] + from[1]; }
__kernel void k1(__global float *table, __global float *out, int n)
{
    int i = get_global_id(0);
    table[i] = out[i];
}
__kernel void k2(__global float *table, __global float *out, int n)
{
    int i = get_global_id(0);
    *(table + i) += out[i];
}
__kernel void k3(__global float *table, __global float *out, int n)
{
    int i = get_global_id(0);
    vstore2((float2)(1, 2), i, table); out[i] = table[0];
}
__kernel void k4(__global float *table, __global float *out, int n)
{
    int i = get_global_id(0);
    table[0]++;
}
__kernel void k5(__global int *table, __global float *out, int n)
{
    int i = get_global_id(0);
    out[i] = atomic_add(&table[0], 1);
}
void put(__global float *to) { to[0] = 1; }
__kernel void k6(__global float *table, __global float *out, int n)
{
    int i = get_global_id(0);
    out[i] = 0; put(table);
}
