__kernel void reverse(__global int *data, __local int *tile, __local int *other)
{
    int id = get_local_id(0), last = get_local_size(0) - 1;
    tile[id] = data[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    data[get_global_id(0)] = tile[last - id];
}
