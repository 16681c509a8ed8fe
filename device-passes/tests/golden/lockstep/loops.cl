// Loops that all work-items of a group go through equally often; each barrier ends an iteration.
// with: lockstep=all work-group-size
// host: kernel=rows dim=1 global=256 local=16 args=a,b,100
// host: kernel=inner dim=1 global=256 local=16 args=a,b,100
// host: kernel=group dim=1 global=256 local=16 args=a,b,100
// host: kernel=forms dim=1 global=256 local=16 args=a,b,100
__kernel void rows(__global int *a, __global const int *b, int n)
{
    __local int t[64][16];
    int l = get_local_id(0);
    for (int y = 0; y < 64; y++)
        t[y][l] = b[y * n + l];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int y = 0; y < 64; y++)
        a[y * n + l] = t[63 - y][15 - l];
}

// The innermost loop of a nest.
__kernel void inner(__global int *a, __global const int *b, int n)
{
    int sum = 0;
    for (int y = 0; y < n; y++) {
        sum *= 3;
        for (int x = 0; x < n; x += 2) {
            int one = b[(y * n + x) * 16 + get_local_id(0)];
            sum += one;
        }
    }
    a[get_global_id(0)] = sum;
}

// A whole group skips a loop, or leaves.
__kernel void group(__global int *a, __global const int *b, int n)
{
    int first = get_group_id(0) * n;
    if (first > 7)
        for (int i = first; i < first + n; i++)
            a[get_global_id(0)] += b[i];
    if (n < 5)
        return;
    for (int i = 0; i < n; i++)
        if (get_local_id(0) & 1)
            a[get_global_id(0)] ^= i;
}

__kernel void forms(__global int *a, __global const int *b, int n)
{
    int i = 0;
    while (i < n) {
        a[get_global_id(0)] += b[i];
        i++;
    }
    do {
        a[get_global_id(0)] -= b[--i];
    } while (i > 0);
    for (i = 0; i < n; i++)
        a[get_global_id(0)] ^= b[i];
}
