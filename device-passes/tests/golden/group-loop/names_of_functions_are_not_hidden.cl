// A kernel calls `round`, which a loop over work-groups of that name would hide.
// with: group-loop=2
// host: kernel=nearest dim=1 global=256 local=16 args=x
__kernel void nearest(__global float *x)
{
    int i = get_global_id(0);
    x[i] = round(x[i] * get_group_id(0));
}
