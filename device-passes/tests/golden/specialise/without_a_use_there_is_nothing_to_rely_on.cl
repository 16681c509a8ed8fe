// host: kernel=k dim=1 global=n local=null args=?,5
__kernel void k(__global int *a, int n) {
    a[0] = sizeof(n);
}
