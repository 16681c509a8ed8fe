__attribute__((max_global_work_dim(0)))
__kernel void fill(__global int *restrict a, __global const int *restrict b)
{
    for (int i = 0; i < 100000; i++)
        for (int j = 0; j < 12; j++)
            a[i * 12 + j] = b[i * 12 + j] + 1;
}
