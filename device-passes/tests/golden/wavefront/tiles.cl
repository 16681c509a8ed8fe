// with: restrict ndrange-to-loop
// host: dim=1 global=? local=8
// case: work-groups fill tiles in diagonals
__kernel void tiles(__global int *restrict a, __global const int *restrict b, int n) {
    __local int s[9 * 9];
    int t = get_local_id(0);
    int first = get_group_id(0) * 8;
    if (t == 0)
        s[0] = a[first];
    s[t + 1] = a[first + t + 1];
    s[(t + 1) * 9] = a[first + (t + 1) * n];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int m = 0; m < 8; m++) {
        if (t <= m) {
            int x = t + 1, y = m - t + 1;
            s[y * 9 + x] = max(s[(y - 1) * 9 + x - 1] + b[y * n + x], s[y * 9 + x - 1] - 2);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    for (int m = 6; m >= 0; m--) {
        if (t <= m) {
            int x = t + 8 - m, y = 8 - t;
            s[y * 9 + x] = max(s[(y - 1) * 9 + x - 1] + b[y * n + x], s[y * 9 + x - 1] - 2);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    for (int y = 0; y < 8; y++)
        a[first + (y + 1) * n + t + 1] = s[(y + 1) * 9 + t + 1];
}
// case: each work-item keeps the best of its column
__kernel void best_of_columns(__global int *restrict a, __global const int *restrict b) {
    __local int s[9][9];
    uint t = get_local_id(0), g = get_group_id(0);
    int best = 0;
    s[0][t + 1] = s[t + 1][0] = 0;
    if (t == 0)
        s[0][0] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint d = 0; d < 15; d++) {
        if (d >= t && d - t < 8) {
            uint i = d - t + 1, j = t + 1;
            int v = max(s[i - 1][j - 1] + (b[g * 8 + i] == b[g * 8 + j] ? 3 : -3), max(s[i - 1][j], s[i][j - 1]) - 2);
            s[i][j] = max(v, 0);
            best = max(best, v);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    a[g * 8 + t] = best;
}
