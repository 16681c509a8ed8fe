// host: dim=1 global=? local=64
__kernel void find(__global const int *a, __global int *o, int n) {
    int i = get_global_id(0);
    if (i >= n)
        return;
    for (int j = 0; j < n; j++) {
        while (a[j] > i) {
            if (a[j] == 7) {
                o[i] = j;
                return;
            }
            break;
        }
    }
    o[i] = -1;
    return;
}
