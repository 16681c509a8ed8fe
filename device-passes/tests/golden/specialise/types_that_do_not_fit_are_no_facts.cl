// case
// host: dim=1 global=n local=null args=?,5
__kernel void k1(__global float *a, float f) {
    a[0] = f;
}
__kernel void k2(__global int2 *a, int2 v) {
    a[0] = v;
}
// case
// host: kernel=k dim=1 global=n local=null args=?,=0.5
__kernel void k(__global float *a, float f) {
    a[0] = f;
}
// case
// host: kernel=k dim=1 global=n local=null args=?,=5.0f
__kernel void k(__global int *a, int n) {
    int s = 0;
    for (int i = 0; i < n; i++)
        s += a[i];
    a[0] = s;
}
// case
// host: kernel=k dim=1 global=n local=null args=?,4294967296
__kernel void k(__global int *a, int n) {
    int s = 0;
    for (int i = 0; i < n; i++)
        s += a[i];
    a[0] = s;
}
// case
// host: kernel=k dim=1 global=n local=null args=?,=n
__kernel void k(__global int *a, int n) {
    int s = 0;
    for (int i = 0; i < n; i++)
        s += a[i];
    a[0] = s;
}
