// host: dim=3 global=256,1,1 local=256,1,1
__kernel void k(__global int *o) {
    int at = get_global_id(2) * get_global_size(0) + get_global_id(0);
    o[at] = get_group_id(0) + get_num_groups(0);
}
