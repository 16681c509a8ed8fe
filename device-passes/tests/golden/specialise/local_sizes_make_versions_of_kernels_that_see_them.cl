// with: level=2 no-ndrange-to-loop no-reduction no-restrict
// host: dim=1 global=n local=null args=?,64
// host: dim=1 global=n local=16 args=?,64
// host: dim=1 global=n local=32 args=?,7
__kernel void k1(__global int *a, int n) {
    a[get_global_id(0)] = get_local_id(0) + n;
}
__kernel void k2(__global int *a, int n) {
    a[get_global_id(0)] = 1 + n;
}
