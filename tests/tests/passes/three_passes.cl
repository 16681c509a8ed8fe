
__kernel void matvec(__global const float *a, __global const float *x, __global float *y, int rows,
                     int n)
{
    int row = get_global_id(0);
    if (row >= rows)
        return;
    for (int k = 0; k < n; k++)
        y[row] += a[row * n + k] * x[k];
}

__kernel void product(__global const float *a, __global const float *b, __global float *c, int n)
{
    int i = get_global_id(1), j = get_global_id(0);
    float sum = 0.0f;
    for (int k = 0; k < n; k++)
        sum += a[i * n + k] * b[k * n + j];
    c[i * n + j] = sum;
}

__kernel void nearest(__global const float *points, __global const float *centres,
                      __global int *member, int features, int clusters)
{
    int p = get_global_id(0);
    float least = 3.0e38f;
    int index = 0;
    for (int c = 0; c < clusters; c++) {
        float distance = 0.0f;
        for (int f = 0; f < features; f++)
            distance += (points[f * 32 + p] - centres[c * features + f]) *
                        (points[f * 32 + p] - centres[c * features + f]);
        if (distance < least) {
            least = distance;
            index = c;
        }
    }
    member[p] = index;
}

__kernel void group_sum(__global const float *a, __global float *sums, __local float *part, int n)
{
    int l = get_local_id(0);
    float own = 0.0f;
    for (int i = get_global_id(0); i < n; i += get_global_size(0))
        own += a[i];
    part[l] = own;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l == 0) {
        float all = 0.0f, most = part[0];
        for (int i = 0; i < get_local_size(0); i++) {
            all += part[i];
            most = fmax(most, part[i]);
        }
        sums[2 * get_group_id(0)] = all;
        sums[2 * get_group_id(0) + 1] = most;
    }
}
