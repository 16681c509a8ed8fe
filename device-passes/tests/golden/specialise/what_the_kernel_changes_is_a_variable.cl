// host: kernel=k dim=1 global=n local=null args=?,9,4
__kernel void k(__global int *a, int n, int m) {
    while (n > m) {
        int n_2 = a[n];
        a[n_2] = n--;
    }
    int *p = &m;
    *p = n;
}
