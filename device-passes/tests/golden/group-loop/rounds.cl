// The ids and sizes of the original launch in each round; a barrier where rounds share memory.
// with: group-loop=4
// host: kernel=ids dim=1 global=256 local=16 args=a,16
// host: kernel=offsets dim=1 global=? local=? offset=? args=a
// host: kernel=tile dim=1 global=256 local=16 args=a
// host: kernel=room dim=1 global=256 local=16 args=a,local:64
// host: kernel=leaves dim=1 global=256 local=16 args=a,100
// host: kernel=helped dim=1 global=256 local=16 args=a
__kernel void ids(__global int *a, int n)
{
    n += get_group_id(0);
    a[get_global_id(0)] = n * get_num_groups(0) + get_local_id(0) + get_global_size(0);
}

__kernel void offsets(__global int *a)
{
    a[get_global_id(0)] = get_group_id(0);
}

__kernel void tile(__global int *a)
{
    __local int t[16];
    int l = get_local_id(0);
    t[l] = a[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    a[get_global_id(0)] = t[15 - l];
}

__kernel void room(__global int *a, __local int *t)
{
    const __constant int shift[2] = {1, 2};
    int l = get_local_id(0);
    t[l] = a[get_global_id(0)] + shift[l % 2];
    barrier(CLK_LOCAL_MEM_FENCE);
    a[get_global_id(0)] = t[15 - l];
}

__kernel void leaves(__global int *a, int n)
{
    int x = get_global_id(0);
    if (x >= n)
        return;
    for (int i = 0; i < n; i++)
        if (a[i] == x)
            return;
    a[x] = x;
}

int place(int k)
{
    return get_group_id(0) * k;
}

__kernel void helped(__global int *a)
{
    a[get_global_id(0)] = place(3);
}
