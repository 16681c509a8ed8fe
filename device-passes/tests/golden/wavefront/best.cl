// host: dim=1 global=1 local=1
// case: where the best is, the first of equal ones, in a local alignment with two rows
__kernel void alignment(__global int *restrict a, __global const char *restrict b) {
    int h[2][17], best = 0, row = -1, column = -1;
    for (int j = 0; j < 17; j++)
        h[0][j] = h[1][j] = 0;
    for (int i = 1; i < 12; i++)
        for (int j = 1; j < 17; j++) {
            int v = h[(i - 1) & 1][j - 1] + (b[i] == b[20 + j] ? 2 : -1);
            v = max(v, max(h[(i - 1) & 1][j], h[i & 1][j - 1]) - 1);
            v = max(v, 0);
            h[i & 1][j] = v;
            if (v > best) {
                best = v;
                row = i;
                column = j;
            }
        }
    a[0] = best;
    a[1] = row;
    a[2] = column;
}
// case: the last of equal ones, the least of floats, and the last element of each row
__kernel void last(__global float *restrict a, __global const float *restrict b) {
    float s[9][9], ends[9], least = 3.0f, most = 0.0f;
    int at = 0;
    for (int i = 0; i < 81; i++)
        s[i / 9][i % 9] = b[i];
    for (int i = 1; i < 9; i++) {
        float own = b[i];
        s[i][0] = own;
        for (int j = 1; j < 9; j++) {
            float v = min(s[i - 1][j], s[i][j - 1]) + own * b[j];
            s[i][j] = v;
            if (least >= v) {
                at = i * 9 + j;
                least = v;
            }
            if (v > most)
                most = v;
        }
        ends[i] = s[i][8];
    }
    for (int i = 1; i < 9; i++)
        a[i] = s[8][i] + ends[i];
    a[9] = least + most;
    a[10] = at;
}
// case: what is found is read in the loop, narrower than what was compared, or counted
__kernel void other(__global int *restrict a, __global const int *restrict b) {
    int s[9][9], best = 0, at = 0, times = 0;
    short most = 0;
    for (int i = 0; i < 81; i++)
        s[i / 9][i % 9] = b[i];
    for (int i = 1; i < 9; i++)
        for (int j = 1; j < 9; j++) {
            s[i][j] = s[i - 1][j] + s[i][j - 1] + at;
            if (s[i][j] > best) {
                best = s[i][j];
                at = i;
            }
        }
    for (int i = 1; i < 9; i++)
        for (int j = 1; j < 9; j++) {
            s[i][j] = s[i - 1][j] + s[i][j - 1];
            if (s[i][j] > most) {
                most = s[i][j];
                at = i;
            }
        }
    for (int i = 1; i < 9; i++)
        for (int j = 1; j < 9; j++) {
            s[i][j] = s[i - 1][j] + s[i][j - 1];
            if (s[i][j] > best) {
                best = s[i][j];
                times++;
            }
        }
    a[0] = best + at + times + most;
}
