// with: level=2 no-ndrange-to-loop no-reduction no-restrict
// host: kernel=k dim=1 global=n local=null args=?,0
// host: kernel=k dim=1 global=n local=null args=?,2
__kernel void k(__global int *a, int n) {
    int s = 0;
    for (int i = 0; i < n; i++)
        s += a[i];
    a[0] = s;
}
// case
// host: kernel=k dim=1 global=n local=null args=?,1
// host: kernel=k dim=1 global=n local=null args=?,3
// case
// host: kernel=k dim=1 global=n local=null args=?,1
// host: kernel=k dim=1 global=n local=null args=?,3
// host: kernel=k dim=1 global=n local=null args=?,4
// case
// host: kernel=k dim=1 global=n local=null args=?,=n
// case
// host: kernel=? dim=1 global=n local=null args=?,1
