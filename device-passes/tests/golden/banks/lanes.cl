// host: dim=1 global=1 local=1
// case: each lane has a column, of rows as long as a power of two
__kernel void columns(__global int *restrict a, __global const int *restrict b) {
    int s[8 * 16];
    for (int y = 0; y < 8; y++) {
        #pragma unroll
        for (int x = 0; x < 16; x++)
            s[y * 16 + x] = b[y * 16 + x];
    }
    for (int step = 0; step < 23; step++) {
        #pragma unroll
        for (int x = 0; x < 16; x++)
            if (step >= x && x + 8 > step)
                a[step * 16 + x] = s[(step - x) * 16 + x];
    }
}
// case: of arrays of arrays the last length counts
__kernel void nested(__global float *restrict a, __global const float *restrict b) {
    float s[5][8];
    for (int y = 0; y < 5; y++) {
        #pragma unroll 4
        for (int x = 0; x < 8; x++)
            s[y][x] = b[y * 8 + x];
    }
    for (int y = 0; y < 5; y++) {
        #pragma unroll 4
        for (int x = 0; x < 8; x++)
            a[y * 8 + x] = s[4 - y][7 - x];
    }
}
// case: each lane has a column and a row, and others go where no lanes are
__kernel void diagonals(__global int *restrict a, __global const int *restrict b) {
    int s[16][16], t[16][16];
    for (int y = 0; y < 16; y++)
        s[y][0] = t[y][0] = b[y];
    for (int x = 0; x < 16; x++)
        s[0][x] = t[0][x] = b[x];
    for (int step = 0; step < 29; step++) {
        #pragma unroll
        for (int x = 0; x < 15; x++)
            if (step >= x && x + 15 > step)
                s[step - x + 1][x + 1] = b[step] + x;
        #pragma unroll
        for (int x = 0; x < 15; x++)
            t[x + 1][step & 15] = b[step] + x;
    }
    for (int i = 0; i < 256; i++)
        a[i] = s[i / 16][i % 16] + t[i / 16][i % 16];
}
// case: unsigned indices wrap, and the lowest bits are those of the difference
__kernel void wrapping(__global int *restrict a, __global const int *restrict b) {
    int s[16][16];
    for (int i = 0; i < 256; i++)
        s[i / 16][i % 16] = b[i];
    for (int step = 0; step < 31; step++) {
        #pragma unroll
        for (int lane = 0; lane < 16; lane++) {
            uint x = lane, d = step;
            if (d >= x && d - x < 16) {
                uint y = d - x;
                s[y][(ulong)x] += b[step] + lane;
            }
        }
    }
    for (int i = 0; i < 256; i++)
        a[i] = s[i / 16][i % 16];
}
// case: a bank that a number of 16 bits hides
__kernel void narrow(__global int *restrict a, __global const int *restrict b) {
    int s[16][16];
    for (int i = 0; i < 256; i++)
        s[i / 16][i % 16] = b[i];
    for (int y = 0; y < 16; y++) {
        #pragma unroll
        for (int x = 0; x < 16; x++) {
            ushort z = x - y;
            s[y][z & 15] += b[y];
        }
    }
    for (int i = 0; i < 256; i++)
        a[i] = s[i / 16][i % 16];
}
// case: rows of 17, copies two apart, and a bank that data choose
__kernel void none(__global int *restrict a, __global const int *restrict b) {
    int s[8 * 17], u[64], v[64];
    for (int y = 0; y < 8; y++) {
        #pragma unroll
        for (int x = 0; x < 16; x++)
            s[y * 17 + x] = b[y * 16 + x];
    }
    for (int y = 0; y < 2; y++) {
        #pragma unroll
        for (int x = 0; x < 16; x++) {
            u[y * 32 + x * 2] = b[x];
            v[(y * 32 + x + b[x]) & 63] = x;
        }
    }
    for (int i = 0; i < 64; i++)
        a[i] = s[i] + u[i] + v[i];
}
// case: registers, an array with banks, and one that a pointer leads to
__kernel void others(__global int *restrict a, __global const int *restrict b) {
    int r[8];
    int __attribute__((numbanks(4))) s[32];
    int p[32];
    #pragma unroll
    for (int x = 0; x < 8; x++)
        r[x] = b[x];
    for (int y = 0; y < 4; y++) {
        #pragma unroll
        for (int x = 0; x < 8; x++) {
            r[x] += b[y * 8 + x];
            s[y * 8 + x] = r[x];
            p[y * 8 + x] = r[x];
        }
    }
    int *q = p + 3;
    for (int i = 0; i < 29; i++)
        a[i] = s[i] + q[i];
}
