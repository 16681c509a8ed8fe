// Versions of a kernel for its launches: each has the sizes of its own.
// with: specialise no-ndrange-to-loop level=2 local-sizes=sum:64/16 local-sizes=sum:128/32
// host: kernel=sum dim=1 global=64 local=4 args=a,4
// host: kernel=sum dim=1 global=128 local=4 args=a,8
__kernel void sum(__global int *a, int n)
{
    int x = get_global_id(0), s = 0;
    for (int i = 0; i < n; i++)
        s += a[x * n + i];
    a[x * n] = s;
}
