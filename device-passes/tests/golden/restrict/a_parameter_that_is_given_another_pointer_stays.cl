// host: kernel=swap dim=1 global=n local=null args=da,db,dc
// buffer: da bytes ?
// buffer: db bytes ?
// buffer: dc bytes ?
__kernel void swap(__global float *a, __global float *b, __global float *c)
{
    for (int i = 0; i < 9; i++) {
        b[i] = a[i] + c[i];
        __global float *t = a;
        a = b;
        b = t;
    }
}
