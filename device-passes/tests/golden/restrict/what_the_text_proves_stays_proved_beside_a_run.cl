// A run fills in what the text leaves open, and takes nothing from what it proves.
// buffer: da bytes ?
// buffer: db bytes ?
// buffer: dc bytes ?
__kernel void add(__global const float *a, __global float *b, __global float *c, int n)
{
    int i = get_global_id(0);
    if (i < n)
        c[i] = a[i] + b[i];
}
// case
// host: kernel=add dim=1 global=n local=null args=da,db,dc seen proved=0,1,2
// case: the names of the text and of the run are not compared
// host: kernel=add dim=1 global=n local=null args=da,db,dc seen proved=0,1
