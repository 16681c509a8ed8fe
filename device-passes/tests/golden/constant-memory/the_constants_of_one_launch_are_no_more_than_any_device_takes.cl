// host: kernel=k dim=1 global=64 local=null args=a,b,c,o
// buffer: a 40000 READ_ONLY COPY_HOST_PTR
// buffer: c 9000 READ_ONLY COPY_HOST_PTR
// buffer: o 256 READ_WRITE
__kernel void k(__global const int *a, __global const int *b, __constant int *c, __global int *o)
{
    int i = get_global_id(0);
    o[i] = a[i & 15] + b[i & 7] + c[i];
}
// case: together they are as large as one may be
// buffer: b 16536 READ_ONLY COPY_HOST_PTR
// case: together they are larger, and the cache would hold them
// buffer: b 16540 READ_ONLY COPY_HOST_PTR
