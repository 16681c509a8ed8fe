__kernel void scale(__global float *a, float f)
{
    int g = get_global_id(0);
    a[g] *= f;
}
// case: neighbours
// with: coarsen=0:4
// host: dim=1 global=1024 local=64
// case: as far apart as there are left
// with: coarsen=0:4:local
// host: dim=1 global=1024 local=64
// case: eight apart
// with: coarsen=0:4:8
// host: dim=1 global=1024 local=64
// case: an offset that is not known
// with: coarsen=0:2
// host: dim=1 offset=? global=1024 local=64
// case: nothing is known
// with: coarsen=0:2:local
// host: unknown
// case: the host leaves the local size open
// with: coarsen=0:2
// host: dim=1 global=1024 local=null
// case: the size of the smaller groups is stated
// with: coarsen=0:4 work-group-size
// host: dim=1 global=1024 local=64
