// case: only the type of two dimensions changes
// host: dim=1 global=1 local=1
__kernel void transpose(__global const int *restrict in, __global int *restrict out) {
    int t[16][17];
    for (int y = 0; y < 16; y++)
        for (int x = 0; x < 16; x++)
            t[y][x] = in[y * 16 + x];
    for (int x = 0; x < 16; x++)
        for (int y = 0; y < 16; y++)
            out[x * 16 + y] = t[y][x];
}
// case: three dimensions of vectors
// host: dim=1 global=1 local=1
__kernel void planes(__global const int2 *restrict in, __global int2 *restrict out, int at) {
    int2 t[2][4][5];
    for (int i = 0; i < 40; i++)
        t[i & 1][i & 3][at].x = in[i].y;
    out[0] = t[1][2][at];
}
// case: rows and columns of one dimension
// host: dim=1 global=1 local=1
__kernel void flat(__global const int *restrict in, __global int *restrict out) {
    int t[16 * 17];
    for (int y = 0; y < 16; y++)
        for (int x = 0; x < 16; x++)
            t[y * 17 + x] = in[y * 16 + x];
    for (int x = 0; x < 16; x++)
        for (int y = 0; y < 16; y++)
            out[x * 16 + y] = t[x + 17 * y];
}
// case: a diagonal stays in its rows where a condition says so
// host: dim=1 global=1 local=1
__kernel void wave(__global const int *restrict in, __global int *restrict out, int penalty) {
    __local int s[9 * 9];
    for (int x = 0; x < 9; x++) {
        s[0 + x * (8 + 1)] = in[x];
        s[x + 0 * (8 + 1)] = in[x + 9];
    }
    for (int m = 0; m < 8; m++) {
        for (int x = 0; x < 8; x++) {
            if (x <= m) {
                int c = x + 1;
                int r = m - x + 1;
                s[c + r * (8 + 1)] = max(s[c - 1 + (r - 1) * (8 + 1)], s[c + (r - 1) * (8 + 1)] - penalty);
            }
        }
    }
    for (int m = 8 - 2; m >= 0; m--) {
        for (int x = 0; x < 8; x++) {
            if (x <= m) {
                int c = x + 8 - m;
                int r = 8 - x;
                s[c + r * (8 + 1)] = max(s[c - 1 + r * (8 + 1)], s[c + (r - 1) * (8 + 1)] - penalty);
            }
        }
    }
    for (int r = 1; r < 9; r++)
        for (int c = 1; c < 9; c++)
            out[r * 8 + c - 9] = s[c + r * 9];
}
// case: indices that are written anew
// host: dim=1 global=1 local=1
__kernel void anew(__global const int *restrict in, __global int *restrict out, int n) {
    int t[32 * 6];
    for (int y = 1; y < 31; y++) {
        for (int x = 0; x < 6; x++) {
            int at = y * 6 + x;
            t[at] = in[at];
            t[(size_t)(2 * 3 * y - 6 + x)] = x < n && n < 6 && n >= 0 ? t[at + 6 - x + n] : t[(y + 1) * 6];
        }
    }
    for (int y = 0; y < 32; y++) {
        for (int x = 5; x >= 0; x--) {
            int y = 5 - x;
            out[x] += t[y + 60];
        }
        out[y] += t[6 * y + 5];
    }
}
// case: the counter that an index names is hidden
// host: dim=1 global=1 local=1
__kernel void hidden(__global const int *restrict in, __global int *restrict out) {
    int t[20 * 5];
    for (int y = 0; y < 20; y++) {
        int at = y * 5;
        for (int x = 0; x < 5; x++) {
            int y = in[x];
            t[at + x] = y;
        }
    }
    out[0] = t[7];
}
// case: a column leaves its row
// host: dim=1 global=1 local=1
__kernel void leaves(__global const int *restrict in, __global int *restrict out) {
    int t[16 * 17], u[16][17], w[16 * 17];
    for (int i = 0; i < 16 * 17; i++) {
        t[i] = in[i];
        u[0][i] = in[i];
    }
    for (int y = 0; y < 16; y++)
        for (int x = 0; x < 16; x++) {
            w[y * 17 + x] = t[y * 17 + x] + u[y][x];
            out[y * 16 + x] = w[y * 17 + x + (in[x] & 1)];
        }
}
// case: a pointer goes through rows
// host: dim=1 global=1 local=1
int sum(int *row) { return row[0] + row[5]; }
__kernel void reached(__global const int *restrict in, __global int *restrict out) {
    int t[16][5], u[16][5];
    for (int y = 0; y < 16; y++)
        for (int x = 0; x < 5; x++)
            t[y][x] = u[y][x] = in[y * 5 + x];
    out[0] = sum(t[3]) + sizeof(u[1]);
}
// case: too large, volatile, small, with attributes, with values, a power of two
// host: dim=1 global=1 local=1
__kernel void others(__global const int *restrict in, __global int *restrict out) {
    int large[1024][65];
    volatile int now[16][5];
    int small[5][3];
    int said[16][5] __attribute__((numbanks(1)));
    int values[2][9] = {{1, 2, 3, 4, 5, 6, 7, 8, 9}, {9, 8, 7, 6, 5, 4, 3, 2, 1}};
    int two[16][8];
    for (int i = 0; i < 5; i++)
        large[i][i] = now[i][i] = small[i][i % 3] = said[i][i] = two[i][i] = in[i] + values[i & 1][i];
    for (int i = 0; i < 5; i++)
        out[i] = large[i][i] + now[i][i] + small[i][i % 3] + said[i][i] + two[i][i];
}
