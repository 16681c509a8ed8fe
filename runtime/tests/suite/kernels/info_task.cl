__attribute__((reqd_work_group_size(1, 1, 1)))
__kernel void plain(__global const float *restrict in, __constant int *table, __local float *tile,
                    uint count, volatile __global int *out, int global0, int local0)
{
    for (int id = 0; id < global0; id++)
        out[id] = (int)in[0] + table[0] + count;
}
__attribute__((reqd_work_group_size(1, 1, 1)))
__kernel void fixed(__global int *out, int global0)
{
    for (int id = 0; id < global0; id++)
        out[id] = 1;
}
/* A kernel that the host does not know. */
__kernel void helper(int a, int b) {}
