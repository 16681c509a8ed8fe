// host: dim=1 global=64 local=null args=a
__kernel void fill(__global int *a) { a[get_global_id(0)] = get_local_id(0); }
