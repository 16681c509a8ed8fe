// host: dim=2 global=?,? local=8,8
__kernel void k(__global int *o, int d) {
    o[get_global_id(d)] = get_global_size(d) + get_local_id(7) + get_global_size(9);
}
