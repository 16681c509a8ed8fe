// Control flow: dangling else, empty bodies, switches, loops with hints, labels.
#define FACTOR 4
int helper(int x);

__kernel void statements(__global int *a, int n) {
    int i, j = 0;
    if (n > 0)
        if (n > 1) a[0] = 1;
        else a[0] = 2;
    if (n > 2) {
        if (n > 3) a[1] = 1;
    } else a[1] = 2;
    if (n) ; else a[2] = 1;
    if (n == 5) a[3] = 1; else if (n == 6) a[3] = 2; else { a[3] = 3; }
    for (;;) { if (j++ > 3) break; else continue; }
    for (i = 0; i < n; i++) ;
    for (i = 0, j = n; i < j; i++, j--) a[i] = j;
#pragma unroll
    for (int k = 0; k < 4; k++) a[k] += k;
    #pragma unroll FACTOR
    for (int k = 0; k < 16; ++k) {
        #pragma unroll 1
        for (int m = 0; m < k; ++m) a[m] ^= k;
    }
    __attribute__((opencl_unroll_hint(2)))
    for (int k = 0; k < 8; k++) a[k]--;
    while (n-- > 0) ;
    do j--; while (j > 0);
    do { j++; if (j == 3) continue; } while (j < 9);
    switch (a[0]) {
    case 0:
    case 1: a[1]++;
    case 2: {
        int inner = 3;
        a[2] = inner;
        break;
    }
    case 'x': case 200 ... 300: a[3] = helper(a[3]); break;
    default: ;
        int late = 7;
        a[4] = late;
    }
    switch (n) { default: break; }
    {
        int j = 5;
        { int j = 6; a[5] = j; }
        a[6] = j;
    }
    {}
    ;
    n;
    (void)n;
    if (n) goto out;
    a[7] = 1;
out:
    return;
}

int helper(int x) {
    switch (x) {
    case 1: return 2;
    }
    for (int i = 0; i < x; i++) {
        switch (i & 3) {
        case 0: continue;
        case 1: break;
        default: return i;
        }
        x += i;
    }
again:
    if (x++ < 10) goto again;
    return x;
}
