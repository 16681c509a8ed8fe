// Each part between barriers is run for each lane; values that live across are expanded.
__kernel void reverse(__global const float *a, __global float *b, __local float *tile)
{
    int l = get_local_id(0);
    int g = get_global_id(0);
    float own = a[g];
    tile[l] = own;
    barrier(CLK_LOCAL_MEM_FENCE);
    b[g] = tile[get_local_size(0) - 1 - l] + own;
}
__kernel void sum(__global const float *a, __global float *b)
{
    __local float s[256];
    int l = get_local_id(0);
    s[l] = a[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int w = get_local_size(0) / 2; w > 0; w >>= 1) {
        if (l < w) s[l] += s[l + w];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (l == 0) b[get_group_id(0)] = s[0];
}
// case
// with: coarsen=0:4
// host: dim=1 global=1024 local=256
