// host: dim=1 global=64 local=null args=a,16
__kernel void fill(__global int *a, int n) {
    while (n-- > 0)
        a[n * get_global_size(0) + get_global_id(0)] = n;
}
