// with: level=2 general=always
// host: kernel=k dim=1 global=n local=null args=?,64
int twice(int x) {
    return 2 * x * (int)get_local_id(0);
}
__kernel void k(__global int *a, int n) {
    int fpgacc_general_k = n;
    a[get_global_id(0)] = twice(fpgacc_general_k);
}
__kernel void idle() {}
