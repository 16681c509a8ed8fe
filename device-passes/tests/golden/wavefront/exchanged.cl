// host: dim=1 global=1 local=1
// case: an edit distance with two rows, whose pointers are exchanged at the end of each step
__kernel void at_the_end(__global int *restrict a, __global const char *restrict b) {
    int first[17], second[17];
    int *prev = first, *cur = second;
    for (int j = 0; j <= 16; j++)
        prev[j] = j;
    for (int i = 1; i <= 12; i++) {
        cur[0] = i;
        for (int j = 1; j <= 16; j++) {
            int cost = b[i] == b[16 + j] ? 0 : 1;
            cur[j] = min(min(prev[j], cur[j - 1]) + 1, prev[j - 1] + cost);
        }
        int *t = prev;
        prev = cur;
        cur = t;
    }
    a[0] = prev[16] + cur[15] + first[3] - second[4];
}
// case: exchanged first, twice in a kernel, with steps that do not begin at 0
__kernel void first(__global int *restrict a, __global const int *restrict b) {
    int x[20], y[16], u[20], v[20];
    int *t;
    int *old = x;
    int *row = y;
    for (int j = 0; j < 13; j++)
        row[j] = old[j] = 0;
    for (int i = 3; i < 12; i++) {
        t = old;
        old = row;
        row = t;
        row[0] = 0;
        for (int j = 1; j < 13; j++) {
            if (b[i] == b[16 + j])
                row[j] = old[j - 1] + 1;
            else
                row[j] = max(old[j], row[j - 1]);
        }
    }
    int *p = u, *q = v;
    for (int j = 0; j < 13; j++)
        p[j] = q[j] = row[j] - old[j];
    for (int i = 0; i < 8; i++) {
        int *s = q;
        q = p;
        p = s;
        for (int j = 1; j < 13; j++)
            p[j] = max(q[j - 1], p[j - 1]) + b[i];
    }
    for (int j = 0; j < 13; j++)
        a[j] = p[j] * 3 - q[j];
}
// case: pointers that are moved, kept, or exchanged in some steps only
__kernel void none(__global int *restrict a, __global const int *restrict b) {
    int x[17], y[17], z[17], w[17], u[17], v[17];
    for (int j = 0; j < 17; j++)
        x[j] = y[j] = z[j] = w[j] = u[j] = v[j] = b[j];
    int *p = x, *q = y, *r = z, *s = w, *m = u, *n = v, *kept;
    for (int i = 1; i <= 12; i++) {
        for (int j = 1; j < 15; j++)
            q[j] = min(p[j - 1], q[j - 1]) + b[i];
        int *t = p;
        p = q;
        q = t;
    }
    p++;
    for (int i = 1; i <= 12; i++) {
        for (int j = 1; j < 17; j++)
            s[j] = min(r[j - 1], s[j - 1]) + b[i];
        kept = r;
        r = s;
        s = kept;
    }
    for (int i = 1; i <= 12; i++) {
        for (int j = 1; j < 17; j++)
            n[j] = min(m[j - 1], n[j - 1]) + b[i];
        if (n[3] > 40)
            break;
        int *t = m;
        m = n;
        n = t;
    }
    for (int j = 0; j < 15; j++)
        a[j] = p[j] + q[j] + r[j] + s[j] + kept[j] + m[j] - n[j];
}
