// host: dim=1 global=1 local=1
// case: it reads what is stored later
__kernel void later(__global int *restrict a, __global const int *restrict b) {
    int s[8][8];
    for (int i = 0; i < 64; i++)
        s[i / 8][i % 8] = b[i];
    for (int y = 1; y < 7; y++)
        for (int x = 1; x < 7; x++)
            s[y][x] = s[y - 1][x] + s[y][x + 1];
    for (int i = 0; i < 64; i++)
        a[i] = s[i / 8][i % 8];
}
// case: lanes wait for each other both ways
__kernel void both(__global int *restrict a, __global const int *restrict b) {
    int s[8][16];
    for (int i = 0; i < 128; i++)
        s[i / 16][i % 16] = b[i];
    for (int y = 1; y < 7; y++)
        for (int x = 1; x < 7; x++)
            s[y][x] = s[y][x - 1] + s[y - 1][x + 3];
    for (int i = 0; i < 128; i++)
        a[i] = s[i / 16][i % 16];
}
// case: whether a lane stores depends on data, or where
__kernel void data(__global int *restrict a, __global const int *restrict b) {
    int s[8][8];
    for (int i = 0; i < 64; i++)
        s[i / 8][i % 8] = b[i];
    for (int y = 1; y < 8; y++)
        for (int x = 1; x < 8; x++)
            if (b[x] > 3)
                s[y][x] = s[y - 1][x];
    for (int y = 1; y < 8; y++)
        for (int x = 1; x < 8; x++)
            s[y][x & b[0]] = s[y - 1][x];
    for (int i = 0; i < 64; i++)
        a[i] = s[i / 8][i % 8];
}
// case: elements are stored twice
__kernel void twice(__global int *restrict a, __global const int *restrict b) {
    int s[64];
    for (int i = 0; i < 64; i++)
        s[i] = b[i];
    for (int y = 1; y < 7; y++)
        for (int x = 1; x < 7; x++)
            s[y + x] = s[y + x - 1] + y;
    for (int i = 0; i < 64; i++)
        a[i] = s[i];
}
// case: it writes more than the table, and a pragma asks for something else
__kernel void more(__global int *restrict a, __global const int *restrict b) {
    int s[8][8], last = 0;
    for (int i = 0; i < 64; i++)
        s[i / 8][i % 8] = b[i];
    for (int y = 1; y < 8; y++)
        for (int x = 1; x < 8; x++) {
            last = y;
            s[y][x] = s[y - 1][x] + s[y][x - 1];
        }
    #pragma unroll 2
    for (int y = 1; y < 8; y++)
        for (int x = 1; x < 8; x++)
            s[y][x] = s[y - 1][x] + s[y][x - 1];
    for (int i = 0; i < 64; i++)
        a[i] = s[i / 8][i % 8] + last;
}
// case: the number of steps is not known, or there are too many lanes
__kernel void unknown(__global int *restrict a, __global const int *restrict b, int n) {
    int s[4][600];
    for (int y = 0; y < 4; y++)
        for (int x = 0; x < 600; x++)
            s[y][x] = b[x];
    for (int y = 1; y < n; y++)
        for (int x = 1; x < 8; x++)
            s[y][x] = s[y - 1][x] + s[y][x - 1];
    for (int y = 1; y < 4; y++)
        for (int x = 1; x < 600; x++)
            s[y][x] = s[y - 1][x] + s[y][x - 1];
    for (int i = 0; i < 600; i++)
        a[i] = s[3][i];
}
// case: arms of a branch store different elements, do more, change what the index is made of, or do not store
__kernel void arms(__global int *restrict a, __global const int *restrict b) {
    int s[9][9];
    for (int y = 0; y < 9; y++)
        for (int x = 0; x < 9; x++)
            s[y][x] = b[y + x];
    for (int y = 1; y < 8; y++)
        for (int x = 1; x < 8; x++)
            if (b[x] > 3)
                s[y][x] = s[y - 1][x];
            else
                s[y][x - 1] = s[y - 1][x];
    for (int y = 1; y < 8; y++)
        for (int x = 1; x < 8; x++)
            if (b[x] > 3)
                s[y][x] = s[y - 1][x];
            else {
                a[x] = y;
                s[y][x] = s[y][x - 1];
            }
    for (int y = 1; y < 8; y++)
        for (int x = 1; x < 8; x++) {
            int column = x;
            if (column++ > b[x])
                s[y][column] = s[y - 1][x];
            else
                s[y][column] = s[y][x - 1];
        }
    for (int y = 1; y < 8; y++)
        for (int x = 1; x < 8; x++)
            if (b[x] > 3)
                s[y][x] = s[y - 1][x];
            else if (b[x] > 1)
                s[y][x] = s[y][x - 1];
    // One that stores well, but reads what is stored later: its branch stays.
    for (int y = 1; y < 8; y++)
        for (int x = 1; x < 8; x++)
            if (b[x] > 3)
                s[y][x] = s[y - 1][x];
            else
                s[y][x] = s[y][x + 1];
    for (int i = 0; i < 81; i++)
        a[i] = s[i / 9][i % 9];
}
// case: where the best is, which depends on the order; the best of floats; what other rows have seen
__kernel void order_matters(__global float *restrict a, __global const int *restrict b) {
    float s[9][9], best = 0;
    int t[9][9], seen[20], at = 0, most = 0;
    for (int i = 0; i < 81; i++) {
        s[i / 9][i % 9] = t[i / 9][i % 9] = b[i];
        seen[i % 20] = 0;
    }
    for (int y = 1; y < 9; y++)
        for (int x = 1; x < 9; x++) {
            t[y][x] = t[y - 1][x] + t[y][x - 1];
            if (t[y][x] > most) {
                most = t[y][x];
                at = y * 9 + x;
            }
        }
    for (int y = 1; y < 9; y++)
        for (int x = 1; x < 9; x++) {
            s[y][x] = s[y - 1][x] + s[y][x - 1];
            if (s[y][x] > best)
                best = s[y][x];
        }
    for (int y = 1; y < 9; y++)
        for (int x = 1; x < 9; x++) {
            t[y][x] = t[y - 1][x] - t[y][x - 1];
            seen[x + y] += t[y][x];
        }
    for (int y = 1; y < 9; y++)
        for (uint x = 0; x < 9; x++)
            if (x - 3 < y)
                t[y][x] = t[y - 1][x] - 1;
    for (int i = 0; i < 81; i++)
        a[i] = s[i / 9][i % 9] + t[i / 9][i % 9] + seen[i % 20] + best + at;
}
// case: what is stored is narrower than what was compared
__kernel void narrower(__global int *restrict a, __global const int *restrict b) {
    int s[9][9];
    short best = 0;
    for (int i = 0; i < 81; i++)
        s[i / 9][i % 9] = b[i];
    for (int y = 1; y < 9; y++)
        for (int x = 1; x < 9; x++) {
            s[y][x] = s[y - 1][x] + s[y][x - 1];
            if (s[y][x] > best)
                best = s[y][x];
        }
    for (int y = 1; y < 9; y++)
        for (int x = 1; x < 9; x++) {
            s[y][x] = s[y - 1][x] + s[y][x - 1];
            best = best < s[y][x] ? s[y][x] : best;
        }
    a[0] = best;
}
