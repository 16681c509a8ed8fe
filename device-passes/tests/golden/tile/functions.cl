float at(__global const float *image, int x, int y, int w)
{
    return image[y * w + x];
}
float over_row(__global const float *row, __global const float *taps)
{
    float sum = 0;
    for (int i = 0; i < 3; i++) sum += row[i] * taps[i];
    return sum;
}
float clamped(__global const float *image, int x, int w)
{
    if (x < 0) x = 0;
    if (x >= w) x = w - 1;
    return image[x];
}
__kernel void box(__global const float *restrict in, __global float *restrict out, int w)
{
    int x = get_global_id(0);
    int y = get_global_id(1);
    float sum = 0;
    for (int dy = 0; dy < 3; dy++)
        for (int dx = 0; dx < 3; dx++) sum += at(in, x + dx, y + dy, w);
    out[y * w + x] = sum;
}
__kernel void rows(__global const float *restrict in, __global const float *restrict taps,
                   __global float *restrict out, int w)
{
    int x = get_global_id(0);
    int y = get_global_id(1);
    out[y * w + x] = over_row(in + y * w + x, taps);
}
__kernel void border(__global const float *restrict in, __global float *restrict out, int w)
{
    int x = get_global_id(0);
    out[x] = clamped(in, x - 1, w) + clamped(in, x + 1, w);
}
// with: work-group-size
// host: dim=2 global=?,? local=16,8
