// host: dim=2 global=?,? local=8,4
// CL2.0
__kernel void k(__global int *o) {
    o[get_global_linear_id()] = get_local_linear_id() + get_enqueued_local_size(0);
}
