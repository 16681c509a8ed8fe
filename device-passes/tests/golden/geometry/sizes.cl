// Two launches, one of which leaves the size open; later passes see what was chosen.
// with: local-sizes=scale:256x4/64x1 local-sizes=scale:512/128 work-group-size
// host: kernel=scale dim=2 global=256,4 local=1,4 args=a,2
// host: kernel=scale dim=1 global=512 local=null args=a,2
// host: kernel=once dim=1 global=64 local=4 args=a
// host: kernel=open dim=1 global=? local=16 args=a
// host: kernel=open dim=1 global=64 local=16 args=a
// with: local-sizes=once:64/32 local-sizes=open:64/8
__kernel void scale(__global float *a, float by)
{
    size_t at = get_global_id(1) * get_global_size(0) + get_global_id(0);
    a[at] *= by;
}

// One size for all: it is stated.
__kernel void once(__global float *a)
{
    a[get_global_id(0)] += 1;
}

// A launch over an unknown size keeps its own, so that none can be stated.
__kernel void open(__global float *a)
{
    a[get_global_id(0)] += 1;
}
