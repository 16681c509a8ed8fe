// host: dim=1 global=1 local=1
// case: an edit distance whose two rows are used by turns, with the border of a row before it
__kernel void two_rows(__global int *restrict a, __global const char *restrict b) {
    int d[2][17];
    for (int j = 0; j <= 16; j++)
        d[0][j] = j;
    for (int i = 1; i <= 12; i++) {
        int cur = i & 1, prev = 1 - cur;
        char own = b[i];
        d[cur][0] = i;
        for (int j = 1; j <= 16; j++) {
            int cost = own == b[16 + j] ? 0 : 1;
            d[cur][j] = min(min(d[prev][j], d[cur][j - 1]) + 1, d[prev][j - 1] + cost);
        }
    }
    a[0] = d[0][16];
}
// case: two rows in one array, and three tables (affine gaps), one of which has no border of its own
__kernel void flat_rows(__global int *restrict a, __global const int *restrict b) {
    int h[2 * 13], f[13], e[2][13];
    for (int j = 0; j < 13; j++) {
        h[j] = h[13 + j] = 0;
        e[0][j] = e[1][j] = f[j] = -100;
    }
    for (int i = 0; i < 9; i++) {
        h[(i % 2) * 13] = 0;
        e[i % 2][0] = -100;
        for (int j = 1; j < 13; j++) {
            e[i % 2][j] = max(e[i % 2][j - 1] - 1, h[(i % 2) * 13 + j - 1] - 3);
            f[j] = max(f[j] - 1, h[((i + 1) % 2) * 13 + j] - 3);
            int v = h[((i + 1) % 2) * 13 + j - 1] + b[i + j];
            h[(i % 2) * 13 + j] = max(max(v, e[i % 2][j]), max(f[j], 0));
        }
    }
    for (int j = 0; j < 13; j++)
        a[j] = h[j] + h[13 + j] + e[0][j] + e[1][j] + f[j];
}
// case: one row, whose first element stays, and what stands after a row
__kernel void one_row(__global int *restrict a, __global const int *restrict b) {
    int s[10], last[8];
    for (int j = 0; j < 10; j++)
        s[j] = b[j];
    for (int i = 0; i < 8; i++) {
        for (int j = 1; j < 10; j++)
            if (b[i] > b[j])
                s[j] = min(s[j], s[j - 1]) + b[i * 10 + j];
            else {
                int v = s[j - 1] + 1;
                s[j] = v;
            }
        last[i] = s[9] + s[8];
    }
    for (int i = 0; i < 8; i++)
        a[i] = s[i] + last[i];
}
// case: three rows by turns, and an edit distance with transpositions in a whole table
__kernel void three_rows(__global int *restrict a, __global const int *restrict b) {
    int s[3][9], d[9][9];
    for (int j = 0; j < 27; j++)
        s[j / 9][j % 9] = b[j];
    for (int i = 1; i < 11; i++)
        for (int j = 1; j < 9; j++)
            s[i % 3][j] = s[(i + 2) % 3][j] ^ s[(i - 1) % 3][j - 1] ^ s[i % 3][j - 1];
    for (int j = 0; j < 9; j++)
        d[0][j] = j;
    for (int i = 1; i < 9; i++) {
        d[i][0] = i;
        for (int j = 1; j < 9; j++) {
            int v = min(min(d[i - 1][j], d[i][j - 1]) + 1, d[i - 1][j - 1] + (b[i] != b[j]));
            if (i > 1 && j > 1 && b[i] == b[j - 1] && b[i - 1] == b[j])
                v = min(v, d[i - 2][j - 2] + 1);
            d[i][j] = v;
        }
    }
    for (int j = 0; j < 9; j++)
        a[j] = s[0][j] + s[1][j] + s[2][j] + d[8][j];
}
// case: rows that are not known to be used by turns, that overlap, or of which more than one is read before the first
__kernel void other_rows(__global int *restrict a, __global const int *restrict b) {
    int s[2][9], t[3][9], u[40];
    for (int j = 0; j < 27; j++) {
        t[j / 9][j % 9] = b[j];
        s[j / 14][j % 9] = b[j];
    }
    for (int i = 0; i < 40; i++)
        u[i] = b[i];
    for (int i = 0; i < 8; i++)
        for (int j = 1; j < 9; j++)
            s[i & 1][j] = s[b[i] & 1][j] + s[i & 1][j - 1];
    for (int i = 1; i < 8; i++)
        for (int j = 1; j < 9; j++)
            t[i % 3][j] = t[(i + 1) % 3][j] + t[i % 3][j - 1];
    for (int i = 0; i < 8; i++)
        for (int j = 1; j < 9; j++)
            u[(i & 1) * 7 + j] = u[((i + 1) & 1) * 7 + j] + u[(i & 1) * 7 + j - 1];
    for (int i = 0; i < 8; i++)
        for (int j = 1; j < 8; j++)
            if (j <= i)
                s[i & 1][j] = s[(i + 1) & 1][j] + s[i & 1][j - 1];
    for (int i = -3; i < 8; i++)
        for (int j = 1; j < 9; j++)
            s[i % 2][j] = s[(i + 1) % 2][j] + s[i % 2][j - 1];
    for (int j = 0; j < 9; j++)
        a[j] = s[0][j] + s[1][j] + t[0][j] + t[1][j] + t[2][j] + u[j];
}
// case: what stands beside the loop over lanes is more than a border
__kernel void beside(__global int *restrict a, __global const int *restrict b) {
    int s[9][9];
    for (int i = 0; i < 81; i++)
        s[i / 9][i % 9] = b[i];
    for (int i = 1; i < 9; i++) {
        int first = s[i - 1][8];
        for (int j = 1; j < 9; j++)
            s[i][j] = s[i - 1][j] + s[i][j - 1] + first;
    }
    for (int i = 1; i < 9; i++) {
        if (b[i] == 3)
            break;
        for (int j = 1; j < 9; j++)
            s[i][j] = s[i - 1][j] + s[i][j - 1];
    }
    for (int i = 1; i < 9; i++) {
        for (int j = 1; j < 9; j++)
            s[i][j] = s[i - 1][j] + s[i][j - 1];
        s[i][0] = s[i][3];
    }
    for (int i = 0; i < 81; i++)
        a[i] = s[i / 9][i % 9];
}
// case: what is declared beside the loop over lanes is made of what only the first lane has
__kernel void made(__global int *restrict a, __global const int *restrict b) {
    int s[2][9];
    for (int j = 0; j < 9; j++)
        s[0][j] = b[j];
    for (int i = 1; i < 9; i++) {
        int border = s[(i - 1) & 1][0];
        int next = border + 1;
        s[i & 1][0] = i;
        for (int j = 1; j < 9; j++)
            s[i & 1][j] = s[(i - 1) & 1][j] + s[i & 1][j - 1] * next;
    }
    for (int i = 1; i < 9; i++) {
        int border = s[(i - 1) & 1][0];
        int next = border + 1;
        s[i & 1][0] = next;
        for (int j = 1; j < 9; j++)
            s[i & 1][j] = s[(i - 1) & 1][j] + s[i & 1][j - 1];
    }
    for (int j = 0; j < 9; j++)
        a[j] = s[0][j];
}
