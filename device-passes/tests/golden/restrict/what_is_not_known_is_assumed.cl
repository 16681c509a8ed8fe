// buffer: da bytes ?
__kernel void add(__global const float *a, __global float *b, __global float *c, int n)
{
    int i = get_global_id(0);
    if (i < n)
        c[i] = a[i] + b[i];
}
// case
// host: kernel=add dim=1 global=n local=null args=da,?,other
// case: without a recording they would be proved
// host: kernel=add dim=1 global=n local=null args=da,db,dc seen
// buffer: db bytes ?
// buffer: dc bytes ?
// case
// host: kernel=add dim=1 global=n local=null args=da,db,dc seen overlapping=0+2,1+2
// buffer: db bytes ?
// buffer: dc bytes ?
