//! work-item
// Bounds at borders take the place of counters there: each is at a constant distance.
__kernel void clamped(__global const float *restrict in, __global float *restrict out) {
    for (int y = 0; y < 64; y++)
        for (int x = 0; x < 128; x++) {
            int left = max(x - 1, 0), right = min(x + 1, 127);
            int above = clamp(y - 1, 0, 63);
            out[y * 128 + x] = in[y * 128 + left] + in[y * 128 + right] + in[above * 128 + x];
        }
}

// In loops over neighbours, in both directions.
__kernel void blurred(__global const uchar *restrict in, __global uchar *restrict out) {
    for (int y = 0; y < 64; y++)
        for (int x = 0; x < 128; x++) {
            int sum = 0;
            for (int dy = -2; dy <= 2; dy++)
                for (int dx = -1; dx <= 1; dx++)
                    sum += in[clamp(y + dy, 0, 63) * 128 + min(max(x + dx, 0), 127)];
            out[y * 128 + x] = sum / 15;
        }
}

// As far on this side of the border as the neighbour is beyond it.
__kernel void mirrored(__global const float *restrict in, __global float *restrict out) {
    for (int i = 0; i < 1000; i++) {
        int before = i - 2 < 0 ? -(i - 2) : i - 2;
        out[i] = in[before] + in[i];
    }
}

// Where the bound is reached in many iterations, it is at no constant distance.
__kernel void far(__global const float *restrict in, __global float *restrict out) {
    for (int i = 0; i < 1000; i++)
        out[i] = in[max(i, 500)] + in[max(i - 1, 500)];
}

// A bound that is not known.
__kernel void unknown(__global const float *restrict in, __global float *restrict out, int last) {
    for (int i = 0; i < 1000; i++)
        out[i] = in[min(i + 1, last)] + in[min(i, last)];
}
