uint group_base(const uint d) {
    return get_group_id(d) * get_local_size(d);
}

__kernel void k0(__global const uint *in, __global uint *out) {
    uint a = in[get_global_id(0)];
    if (get_local_id(0) < 6) {
        a += atomic_add(&out[64], (uint)0);
        a += group_base(0) + in[get_local_id(0)];
    }
    out[get_global_id(0)] = a;
}
