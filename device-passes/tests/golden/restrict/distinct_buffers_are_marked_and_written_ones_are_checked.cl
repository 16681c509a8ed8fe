// host: kernel=add dim=1 global=n local=null args=da,db,dc
// host: kernel=add dim=1 global=n local=null args=dc,db,dd
// buffer: da bytes ?
// buffer: db bytes ?
// buffer: dc bytes ?
// buffer: dd bytes ?
__kernel void add(__global const float *a, __global float *b, __global float *c, int n)
{
    int i = get_global_id(0);
    if (i < n)
        c[i] = a[i] + b[i];
}
