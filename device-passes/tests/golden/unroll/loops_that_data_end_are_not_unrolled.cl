// with: unroll=0:4 unroll=1:4 unroll=2:4 unroll=3:4
// host: dim=1 global=1 local=1 args=a,64
__kernel void sort(__global int *restrict a, int n) {
    for (int i = 1; i < n; i++) {
        int v = a[i], j = i - 1;
        while (j >= 0 && a[j] > v) {
            a[j + 1] = a[j];
            j--;
        }
        a[j + 1] = v;
        for (int k = 0; k < n && a[k] != v; k++)
            a[k] += 1;
        for (int k = 0; k < n; k++)
            if (a[k] == v)
                break;
    }
    for (int k = 0; k < n; k++)
        a[k] += 1;
}
