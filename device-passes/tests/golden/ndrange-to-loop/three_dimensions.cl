// host: dim=3 global=?,?,? local=4,2,1 offset=0,?,0
__kernel void k(__global int *o) {
    size_t at = (get_global_id(2) * get_global_size(1) + get_global_id(1)) * get_global_size(0) + get_global_id(0);
    o[at] = get_local_id(0) + get_group_id(1) + get_work_dim();
}
