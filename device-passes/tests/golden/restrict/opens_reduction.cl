// with: reduction
// host: dim=1 global=1 local=null args=da,db,?,dr
// buffer: da ?
// buffer: db ?
// buffer: dr ?
__kernel void dot(__global const float *a, __global const float *b, int n, __global float *r)
{
    for (int i = 0; i < n; i++)
        r[0] += a[i] * b[i];
}
// case: without it
// with: no-restrict
// case: with it
