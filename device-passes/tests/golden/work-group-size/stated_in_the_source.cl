// host: dim=1 global=64 local=16 args=a
__attribute__((reqd_work_group_size(16, 1, 1))) __kernel void fill(__global int *a) {
    a[get_global_id(0)] = get_local_id(0);
}
