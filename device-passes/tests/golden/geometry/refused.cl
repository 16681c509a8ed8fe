// Kernels that may see the size of their groups, and launches that nothing is proposed for.
// with: local-sizes=ids:64/32 local-sizes=shares:64/32 local-sizes=waits:64/32 local-sizes=fixed:64/32
// with: local-sizes=small:64/32 local-sizes=helped:64/32 local-sizes=odd:64/24
// host: kernel=ids dim=1 global=64 local=4 args=a
// host: kernel=shares dim=1 global=64 local=4 args=a,local:16
// host: kernel=waits dim=1 global=64 local=4 args=a
// host: kernel=fixed dim=1 global=64 local=4 args=a
// host: kernel=small dim=1 global=64 local=4 args=a
// host: kernel=helped dim=1 global=64 local=4 args=a
// host: kernel=odd dim=1 global=64 local=4 args=a
// host: kernel=other dim=1 global=64 local=4 args=a
int own(void)
{
    return get_local_id(0);
}

__kernel void ids(__global int *a)
{
    a[get_global_id(0)] = get_num_groups(0);
}

__kernel void shares(__global int *a, __local int *t)
{
    t[0] = 1;
    a[get_global_id(0)] = 1;
}

__kernel void waits(__global int *a)
{
    a[get_global_id(0)] = 1;
    barrier(CLK_GLOBAL_MEM_FENCE);
}

__attribute__((reqd_work_group_size(4, 1, 1)))
__kernel void fixed(__global int *a)
{
    a[get_global_id(0)] = 1;
}

__attribute__((max_work_group_size(16)))
__kernel void small(__global int *a)
{
    a[get_global_id(0)] = 1;
}

__kernel void helped(__global int *a)
{
    a[get_global_id(0)] = own();
}

__kernel void odd(__global int *a)
{
    a[get_global_id(0)] = 1;
}

__kernel void other(__global int *a)
{
    a[get_global_id(0)] = 1;
}
