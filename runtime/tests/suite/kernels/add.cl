__kernel void add(__global const float *a, __global const float *b, __global float *sum, int n)
{
    int id = get_global_id(0);
    if (id < n)
        sum[id] = a[id] + b[id];
}
