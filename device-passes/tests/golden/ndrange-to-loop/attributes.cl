// host: unknown
__attribute__((reqd_work_group_size(64, 1, 1)))
__attribute__((num_simd_work_items(4)))
__kernel void k(__global int *restrict o) {
    o[get_global_id(0)] = get_local_size(0);
}
