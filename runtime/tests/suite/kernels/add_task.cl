__kernel void add(__global const float *restrict a, __global const float *restrict b,
                  __global float *restrict sum, int n, int global0)
{
    for (int id = 0; id < global0; id++)
        if (id < n)
            sum[id] = a[id] + b[id];
}
