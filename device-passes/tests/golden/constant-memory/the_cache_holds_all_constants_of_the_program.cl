// host: kernel=k dim=1 global=64 local=null args=t,o
// buffer: t 64 READ_ONLY COPY_HOST_PTR
// buffer: o 1048576 READ_WRITE
__kernel void k(__global const float *table, __global float *out, int n)
{
    int i = get_global_id(0);
    out[i] = table[i & 15];
}
// case: they fit
// with: constant-cache=16384
__constant float own[4080] = {1.0f};
// case: they do not
// with: constant-cache=16384
__constant float own[4096] = {1.0f};
// case: nobody knows what is passed to the other kernel
__kernel void other(__constant int *c, __global int *o) { o[0] = c[0]; }
