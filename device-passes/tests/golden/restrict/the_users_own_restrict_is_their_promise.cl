// buffer: da bytes ?
// case
// host: kernel=own dim=1 global=n local=null args=da,db,dc
// buffer: db bytes ?
// buffer: dc bytes ?
__kernel void own(__global float *restrict a, __global float *b, __constant float *c)
{
    a[0] = b[0] + c[0];
    b[1] = c[1];
}
// case: all are marked already
// host: kernel=own dim=1 global=n local=null args=da,da
__kernel void own(__global float *restrict a, __global float *restrict b)
{
    a[0] = b[0];
}
