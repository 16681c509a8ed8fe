__kernel void plain(__global const float *restrict in, __constant int *table, __local float *tile,
                    uint count, volatile __global int *out)
{
    out[get_global_id(0)] = (int)in[0] + table[0] + count;
}
__attribute__((reqd_work_group_size(4, 2, 1)))
__kernel void fixed(__global int *out)
{
    out[get_global_id(0)] = 1;
}
