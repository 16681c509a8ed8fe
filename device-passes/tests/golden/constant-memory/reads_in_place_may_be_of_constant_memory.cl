// Each is valid OpenCL C with a `__constant` table: the module is validated after the pass.
// host: dim=1 global=64 local=null args=t,o
// buffer: t 64 READ_ONLY COPY_HOST_PTR
// buffer: o 1048576 READ_WRITE
typedef struct { float at[3]; int step; } entry;
float sum(__global const float *from) { return from[0] + from[1]; }
__kernel void k1(__global float *table, __global float *out, int n)
{
    int i = get_global_id(0);
    out[i] = *table + *(table + i) + (1 + table)[i];
}
__kernel void k2(__global const float *table, __global float *out, int n)
{
    int i = get_global_id(0);
    out[i] = (&table[2])[i] + *&table[1] + (table + n - 1)[0];
}
__kernel void k3(__global const float4 *table, __global float *out, int n)
{
    int i = get_global_id(0);
    out[i] = table[i].x + table[1].zw.y;
}
__kernel void k4(__global const entry *table, __global float *out, int n)
{
    int i = get_global_id(0);
    out[i] = table->at[i] + table[i].at[1] + *table[1].at;
}
__kernel void k5(__global const entry *table, __global float *out, int n)
{
    int i = get_global_id(0);
    entry one = table[i]; out[i] = *(&table[1].step) + one.step + *(table->at + 1);
}
__kernel void k6(__global const float *table, __global float *out, int n)
{
    int i = get_global_id(0);
    float4 v = vload4(i, table) + vload4(0, table + 4); out[i] = v.x + v.w;
}
__kernel void k7(__global const half *table, __global float *out, int n)
{
    int i = get_global_id(0);
    out[i] = vload_half(i, table + 1);
}
__kernel void k8(__global const float *table, __global float *out, int n)
{
    int i = get_global_id(0);
    for (int j = 0; j < n; j++) out[i] += sizeof(table[0]) * table[j];
}
__kernel void k9(__global const int *table, __global float *out, int n)
{
    int i = get_global_id(0);
    out[table[i]] = table[table[i]];
}
