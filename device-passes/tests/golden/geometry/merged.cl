// case: work-items are merged in work-groups of the size that was chosen, which the host's need not divide
// with: local-sizes=scale:256x4/64x1 coarsen coarsen=0:4:local work-group-size
// host: kernel=scale dim=2 global=256,4 local=1,4 args=a,2
__kernel void scale(__global float *a, float by)
{
    size_t at = get_global_id(1) * get_global_size(0) + get_global_id(0);
    a[at] *= by;
}
// case: the chosen size does not divide
// with: local-sizes=scale:256x4/2x4 coarsen coarsen=0:4
// host: kernel=scale dim=2 global=256,4 local=4,1 args=a,2
__kernel void scale(__global float *a, float by)
{
    size_t at = get_global_id(1) * get_global_size(0) + get_global_id(0);
    a[at] *= by;
}
