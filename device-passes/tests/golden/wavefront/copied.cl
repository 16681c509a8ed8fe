// host: dim=1 global=1 local=1
// case: an edit distance that copies its row at the end of each step
__kernel void at_the_end(__global int *restrict a, __global const char *restrict b) {
    int prev[17], cur[17];
    for (int j = 0; j <= 16; j++)
        prev[j] = j;
    for (int i = 1; i <= 12; i++) {
        cur[0] = i;
        for (int j = 1; j <= 16; j++) {
            int cost = b[i] == b[16 + j] ? 0 : 1;
            cur[j] = min(min(prev[j], cur[j - 1]) + 1, prev[j - 1] + cost);
        }
        for (int j = 0; j <= 16; j++)
            prev[j] = cur[j];
    }
    a[0] = prev[16] + cur[15];
}
// case: a longest common subsequence that copies it first, in longer arrays than it uses
__kernel void first(__global int *restrict a, __global const int *restrict b) {
    int old[64], row[64];
    for (int j = 0; j < 13; j++)
        row[j] = 0;
    for (int i = 0; i < 9; i++) {
        for (int k = 0; k < 13; k++)
            old[k] = row[k];
        row[0] = 0;
        for (int j = 1; j < 13; j++) {
            if (b[i] == b[16 + j])
                row[j] = old[j - 1] + 1;
            else
                row[j] = max(old[j], row[j - 1]);
        }
    }
    for (int j = 0; j < 13; j++)
        a[j] = row[j] - old[j];
}
// case: a step that stores only a part, one that reads its row early, and a row that is written elsewhere
__kernel void none(__global int *restrict a, __global const int *restrict b) {
    int p[17], q[17], r[17], s[17], t[17], u[17];
    for (int j = 0; j < 17; j++)
        p[j] = q[j] = r[j] = s[j] = t[j] = u[j] = b[j];
    for (int i = 1; i <= 12; i++) {
        for (int j = 1; j < 17; j++)
            q[j] = min(p[j - 1], q[j - 1]) + b[i];
        for (int j = 0; j < 17; j++)
            p[j] = q[j];
    }
    for (int i = 1; i <= 12; i++) {
        s[0] = i;
        for (int j = 1; j < 17; j++)
            s[j] = min(r[j - 1], s[j - 1]) + s[j] * b[i];
        for (int j = 0; j < 17; j++)
            r[j] = s[j];
    }
    for (int i = 1; i <= 12; i++) {
        u[0] = t[3] = i;
        for (int j = 1; j < 17; j++)
            u[j] = min(t[j - 1], u[j - 1]) + b[i];
        for (int j = 0; j < 17; j++)
            t[j] = u[j];
    }
    a[0] = p[16] + r[16] + t[16];
}
