typedef struct { float at[3]; int step; } entry;
float sum(__global const float *from) { return from[0] + from[1]; }
__kernel void k(__global const float *table, __global float *out, int n)
{
    int i = get_global_id(0);
    out[i] = table[i & 15];
}
// case
// host: unknown
// case
// host: kernel=k dim=1 global=64 local=null args=t,o
// host: kernel=k dim=1 global=64 local=null args=?,o
// buffer: t 64 READ_ONLY COPY_HOST_PTR
// buffer: o 1048576 READ_WRITE
// case
// host: kernel=k dim=1 global=64 local=null args=t,o
// host: kernel=k dim=1 global=64 local=null args=nowhere,o
// buffer: t 64 READ_ONLY COPY_HOST_PTR
// buffer: o 1048576 READ_WRITE
// case
// host: kernel=k dim=1 global=64 local=null args=t,o
// host: kernel=k dim=1 global=64 local=null args=o,o
// buffer: t 64 READ_ONLY COPY_HOST_PTR
// buffer: o 1048576 READ_WRITE
// case
// host: kernel=? dim=1 global=64 local=null args=t,o
// buffer: t 64 READ_ONLY COPY_HOST_PTR
// buffer: o 1048576 READ_WRITE
// case
// host: kernel=k dim=1 global=64 local=null args=t,o
// buffer: t 64 ?
// buffer: o 1048576 READ_WRITE
// case
// host: kernel=k dim=1 global=64 local=null args=t,o
// buffer: t 65537 READ_ONLY COPY_HOST_PTR
// buffer: o 1048576 READ_WRITE
// case
// host: kernel=k dim=1 global=64 local=null args=t,o
// buffer: t 64 READ_ONLY COPY_HOST_PTR
// buffer: o 1048576 READ_WRITE
// buffer: t 64 READ_WRITE
