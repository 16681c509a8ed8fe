/* A 5 x 5 filter of a grey image; at the border the nearest pixel counts. */
__kernel void blur(__global const uchar *in, __global uchar *out, __constant int *weights,
                   int width, int height, int sum) {
    int x = get_global_id(0), y = get_global_id(1);
    if (x >= width || y >= height)
        return;
    int total = 0;
    for (int dy = -2; dy <= 2; dy++) {
        for (int dx = -2; dx <= 2; dx++) {
            int column = clamp(x + dx, 0, width - 1);
            int row = clamp(y + dy, 0, height - 1);
            total += weights[(dy + 2) * 5 + dx + 2] * in[row * width + column];
        }
    }
    out[y * width + x] = (uchar)((total + sum / 2) / sum);
}
