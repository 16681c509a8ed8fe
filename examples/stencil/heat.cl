/* One step in time of heat on a plate whose border keeps its temperature. */
__kernel void heat(__global const float *now, __global float *next, int width, int height,
                   float rate) {
    int x = get_global_id(0), y = get_global_id(1);
    if (x >= width || y >= height)
        return;
    int at = y * width + x;
    float here = now[at];
    if (x == 0 || y == 0 || x == width - 1 || y == height - 1) {
        next[at] = here;
        return;
    }
    float around = now[at - 1] + now[at + 1] + now[at - width] + now[at + width];
    next[at] = here + rate * (around - 4.0f * here);
}

/* The sum of each row. */
__kernel void rows(__global const float *now, __global float *sums, int width, int height) {
    int y = get_global_id(0);
    if (y >= height)
        return;
    float sum = 0.0f;
    for (int x = 0; x < width; x++)
        sum += now[y * width + x];
    sums[y] = sum;
}
