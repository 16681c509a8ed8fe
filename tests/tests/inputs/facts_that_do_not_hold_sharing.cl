__kernel void sums(__global const int *in, __global int *out, int width, __local int *shared)
{
    __local int *mine = width > 1000 ? shared + 1 : shared;
    mine[get_local_id(0)] = in[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = mine[get_local_id(0) ^ 1];
}
