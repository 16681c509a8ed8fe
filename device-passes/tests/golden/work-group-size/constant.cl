// host: dim=2 global=64,64 local=16,4 args=a
__kernel void fill(__global int *a) {
    a[64 * get_global_id(1) + get_global_id(0)] = get_local_id(0);
}
