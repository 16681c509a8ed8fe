// host: kernel=k dim=1 global=n local=null args=da,db,dc,dd
// buffer: da bytes ?
// buffer: db bytes ?
// buffer: dc bytes ?
// buffer: dd bytes ?
void store(__global float *p, float v) { *p = v; }
__kernel void k(__global float *a, __global float *b, __global float *c, __global float *d)
{
__global float *q = a;
    q += 2;
    *q = c[0];
    store(&b[1], d[0]);
}
