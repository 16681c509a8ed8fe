// One loop of two.
// with: lockstep=1 work-group-size
// host: dim=1 global=256 local=16 args=a,b,100
__kernel void two(__global int *a, __global const int *b, int n)
{
    for (int i = 0; i < n; i++)
        a[get_global_id(0)] += b[i];
    for (int i = 0; i < n; i++)
        a[get_global_id(0)] ^= b[i];
}
