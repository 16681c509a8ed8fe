// host: kernel=k dim=1 global=64 local=null args=t,o
// host: kernel=k dim=1 global=64 local=null args=u,o
// buffer: t 64 READ_ONLY COPY_HOST_PTR
// buffer: u 16/4096 READ_ONLY
// buffer: o 1048576 READ_WRITE
typedef struct { float at[3]; int step; } entry;
float sum(__global const float *from) { return from[0] + from[1]; }
__kernel void k(__global const float *table, __global float *out, int n)
{
    int i = get_global_id(0);
    out[i] = table[i & 15];
}
