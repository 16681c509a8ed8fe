// Numbers of a run mostly come from its input.
__kernel void k(__global int *a, int n) {
    int s = 0;
    for (int i = 0; i < n; i++)
        s += a[i];
    a[0] = s;
}
// case
// host: kernel=k dim=1 global=n local=null args=?,64 seen
// case
// host: kernel=k dim=1 global=n local=null args=?,64 seen proved=1
// case
// with: level=1 general=always
// host: kernel=k dim=1 global=n local=null args=?,64 seen
