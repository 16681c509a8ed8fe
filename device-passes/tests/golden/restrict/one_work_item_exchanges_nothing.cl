// host: kernel=k dim=1 global=1 local=1 args=da,db
// buffer: da bytes 1024
// buffer: db bytes 1024
__kernel void k(__global int *a, __global int *b)
{
    a[0] = b[0];
    barrier(CLK_GLOBAL_MEM_FENCE);
    b[1] = a[1];
    atomic_inc(&a[0]);
}
