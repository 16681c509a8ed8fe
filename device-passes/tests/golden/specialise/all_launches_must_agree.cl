// host: kernel=k dim=1 global=n local=null args=?,64
// host: kernel=k dim=1 global=n local=null args=?,64
__kernel void k(__global int *a, int n) {
    int s = 0;
    for (int i = 0; i < n; i++)
        s += a[i];
    a[0] = s;
}
// case
// case
// host: kernel=k dim=1 global=n local=null args=?,32
// case
// host: kernel=k dim=1 global=n local=null
// case
// host: kernel=? dim=1 global=n local=null args=?,64
// case
// host: kernel=other dim=1 global=n local=null
