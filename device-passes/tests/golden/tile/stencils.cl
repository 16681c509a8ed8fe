__kernel void box(__global const float *restrict in, __global float *restrict out, int w, int h)
{
    int x = get_global_id(0);
    int y = get_global_id(1);
    if (x > 0 && y > 0 && x < w - 1 && y < h - 1) {
        float sum = 0;
        for (int dy = -1; dy <= 1; dy++)
            for (int dx = -1; dx <= 1; dx++)
                sum += in[(y + dy) * w + x + dx];
        out[y * w + x] = sum / 9;
    }
}
__kernel void cross(__global const float *restrict in, __global float *restrict out, int w, int h)
{
    int x = get_global_id(0);
    int y = get_global_id(1);
    if (x >= w - 1 || y >= h - 1 || x < 1 || y < 1) return;
    int at = y * w + x;
    out[at] = in[at] + in[at - 1] + in[at + 1] + in[at - w] + in[at + w];
}
__kernel void filter(__global const float *restrict in, __constant float *taps, __global float *restrict out,
                     int w, int h)
{
    int x = get_global_id(0);
    int y = get_global_id(1);
    float sum = 0;
    if (x < w && y < h) {
        for (int dy = -2; dy <= 2; dy++)
            for (int dx = -2; dx <= 2; dx++) {
                int xx = x + dx, yy = y + dy;
                if (xx >= 0 && xx < w && yy >= 0 && yy < h)
                    sum += in[yy * w + xx] * taps[(dy + 2) * 5 + dx + 2];
            }
        out[y * w + x] = sum;
    }
}
// case: tiles
// with: work-group-size
// host: dim=2 global=?,? local=16,8
