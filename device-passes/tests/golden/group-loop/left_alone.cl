// Reasons to leave a kernel or its launches.
__kernel void copy(__global int *a)
{
    a[get_global_id(0)] = get_group_id(0);
}

// case: no local size
// with: group-loop=4
// host: dim=1 global=256 local=null args=a

// case: groups that do not divide
// with: group-loop=4
// host: dim=1 global=96 local=16 args=a

// case: no such dimension
// with: group-loop=1:4
// host: dim=1 global=256 local=16 args=a

// case: merged already
// with: group-loop=4 coarsen coarsen=0:2
// host: dim=1 global=256 local=16 args=a

// case: a local size that was chosen has groups
// with: group-loop=1:2 geometry local-sizes=plain:8x8/4x2
// host: kernel=plain dim=2 global=8,8 local=null args=a
__kernel void plain(__global int *a)
{
    a[get_global_id(1) * 8 + get_global_id(0)] = 1;
}

// case: a loop that waits
// with: group-loop=4
// host: kernel=waits dim=1 global=256 local=16 args=a
__kernel void waits(__global volatile int *a)
{
    while (a[get_group_id(0)] == 0)
        ;
    a[get_group_id(0) + 1] = 1;
}

// case: work that groups do together
// with: group-loop=4
// host: kernel=fetches dim=1 global=256 local=16 args=a
__kernel void fetches(__global int *a)
{
    __local int t[16];
    event_t e = async_work_group_copy(t, a + get_group_id(0) * 16, 16, 0);
    wait_group_events(1, &e);
    a[get_global_id(0)] = t[15 - get_local_id(0)];
}
