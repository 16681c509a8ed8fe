// host: dim=1 global=1 local=1
// case: each element is made of the one above it and the one before it
__kernel void rows(__global int *restrict a, __global const int *restrict b) {
    int s[9][9];
    for (int y = 0; y < 9; y++)
        for (int x = 0; x < 9; x++)
            s[y][x] = b[y + x];
    for (int y = 1; y < 9; y++)
        for (int x = 1; x < 9; x++) {
            int own = b[y * 9 + x];
            s[y][x] = max(s[y - 1][x], s[y][x - 1]) + own;
        }
    for (int x = 0; x < 9; x++)
        a[x] = s[8][x];
}
// case: diagonals that grow and shrink, each lane along a column
__kernel void diagonals(__global float *restrict a, __global const float *restrict b) {
    float s[64];
    for (int i = 0; i < 64; i++)
        s[i] = b[i];
    for (int m = 0; m < 7; m++)
        for (int t = 0; t < 7; t++)
            if (t <= m)
                s[(m - t + 1) * 8 + t + 1] = s[(m - t) * 8 + t] + s[(m - t + 1) * 8 + t];
    for (int m = 5; m >= 0; m--)
        for (int t = 0; t < 7; t++)
            if (t <= m) {
                int row = 7 - t, column = t + 7 - m;
                s[row * 8 + column] = s[(row - 1) * 8 + column - 1] + s[row * 8 + column - 1];
            }
    for (int i = 0; i < 64; i++)
        a[i] = s[i];
}
// case: of a triangle, two rows above
__kernel void triangle(__global int *restrict a, __global const int *restrict b) {
    int s[10 * 12];
    for (int i = 0; i < 120; i++)
        s[i] = b[i];
    for (int i = 2; i < 10; i++)
        for (int j = 1; j < 11; j++)
            if (j <= i && b[0] == b[0]) {
                s[i * 12 + j] = s[(i - 2) * 12 + j] ^ s[(i - 1) * 12 + j + 1];
            }
    for (int i = 2; i < 10; i++)
        for (int j = 1; j < 11; j++)
            if (j <= i) {
                s[i * 12 + j] = s[(i - 2) * 12 + j] ^ s[(i - 1) * 12 + j + 1];
            }
    for (int i = 0; i < 120; i++)
        a[i] = s[i];
}
// case: a branch stores in each arm, narrow integers too, and the lanes are said to be unrolled
__kernel void arms(__global int *restrict a, __global const char *restrict b) {
    int s[9][9];
    uchar u[9][9];
    for (int y = 0; y < 9; y++)
        for (int x = 0; x < 9; x++)
            s[y][x] = u[y][x] = b[y + x];
    for (int y = 1; y < 9; y++)
        #pragma unroll
        for (int x = 1; x < 9; x++)
            if (b[y] == b[x])
                s[y][x] = s[y - 1][x - 1] + 1;
            else
                s[y][x] = max(s[y - 1][x], s[y][x - 1]);
    for (int y = 1; y < 9; y++)
        for (int x = 1; x < 9; x++) {
            char own = b[x];
            if (x + y >= 4) {
                if (b[y] < own)
                    u[y][x] = u[y - 1][x - 1] - 1.5f;
                else if (own == 0) {
                    u[y][x] = own;
                } else
                    u[y][x] = u[y - 1][x] - u[y][x - 1];
            }
        }
    for (int x = 0; x < 9; x++)
        a[x] = s[8][x] + u[8][x];
}
// case: borders are computed in the same loops, where nothing is read beside the table
__kernel void borders(__global int *restrict a, __global const int *restrict b) {
    int s[9][9];
    for (int i = 0; i < 9; i++)
        for (int j = 0; j < 9; j++)
            if (i == 0 || j == 0)
                s[i][j] = 0;
            else if (b[i] == b[j])
                s[i][j] = s[i - 1][j - 1] + 1;
            else
                s[i][j] = max(s[i - 1][j], s[i][j - 1]);
    for (int i = 8; i >= 0; i--)
        for (int j = 0; j < 9; j++) {
            int own = b[i + j];
            if (!(i < 8) && j > 0)
                s[i][j] = own + s[i][j - 1];
            else
                s[i][j] = i != 8 && j >= 1 ? s[i + 1][j] - s[i][j - 1] : own;
        }
    for (int x = 0; x < 9; x++)
        a[x] = s[0][x];
}
// case: unsigned counters, whose differences wrap where no lane stores
__kernel void unsigned_counters(__global int *restrict a, __global const int *restrict b) {
    int s[17][17];
    for (int i = 0; i < 289; i++)
        s[i / 17][i % 17] = b[i];
    for (uint d = 0; d < 31; d++)
        for (size_t t = 0; t < 16; t++)
            if (d >= t && d - t < 16) {
                size_t i = d - t + 1, j = t + 1;
                s[i][j] = max(s[i - 1][j], s[i][j - 1]) + b[i];
            }
    for (int i = 0; i < 289; i++)
        a[i] = s[i / 17][i % 17];
}
// case: the best score of all, the steps that led there, and what each row has seen
__kernel void best_of_all(__global int *restrict a, __global const int *restrict b) {
    int s[17][17], from[17][17], seen[17];
    int best = 0, least = 100;
    for (int i = 0; i < 289; i++) {
        s[i / 17][i % 17] = b[i];
        from[i / 17][i % 17] = 0;
        seen[i % 17] = 0;
    }
    for (int i = 1; i < 17; i++)
        for (int j = 1; j < 17; j++) {
            int up = s[i - 1][j] - 2, left = s[i][j - 1] - 2;
            int v = max(max(up, left), s[i - 1][j - 1] + (b[i] == b[j] ? 3 : -3));
            from[i][j] = v == up ? 1 : v == left ? 2 : 3;
            s[i][j] = v;
            if (v > best)
                best = v;
            least = min(least, v);
            seen[j] |= v;
        }
    for (int i = 0; i < 289; i++)
        a[i] = s[i / 17][i % 17] + from[i / 17][i % 17] + seen[i % 17] + best - least;
}
// case: three tables, two of which are read as soon as they are stored (affine gaps, Gotoh 1982)
__kernel void affine_gaps(__global int *restrict a, __global const int *restrict b) {
    int h[17][17], e[17][17], f[17][17];
    for (int i = 0; i < 289; i++) {
        h[i / 17][i % 17] = 0;
        e[i / 17][i % 17] = f[i / 17][i % 17] = -100;
    }
    for (int i = 1; i < 17; i++)
        for (int j = 1; j < 17; j++) {
            e[i][j] = max(e[i][j - 1] - 1, h[i][j - 1] - 3);
            f[i][j] = max(f[i - 1][j] - 1, h[i - 1][j] - 3);
            h[i][j] = max(max(h[i - 1][j - 1] + b[i + j], e[i][j]), max(f[i][j], 0));
        }
    for (int i = 0; i < 289; i++)
        a[i] = h[i / 17][i % 17] + e[i / 17][i % 17] + f[i / 17][i % 17];
}
