// host: dim=1 global=64 local=null args=a,16
// host: dim=1 global=32 local=null args=b,16
__kernel void fill(__global int *a, int n) {
    for (int i = 0; i < n; i++)
        a[i * get_global_size(0) + get_global_id(0)] = i;
}
