


uint flat_local_id(void) {
    return 0u * get_local_size(0) + get_local_id(0);
}

uint flat_group_id(void) {
    return 0u * get_num_groups(0) + get_group_id(0);
}

uint flat_global_id(void) {
    return 0u * get_global_size(0) + get_global_id(0) - get_global_offset(0);
}


uint part12_3(uint l, uint a, uint b, uint n, uint u0) {
    uint i5 = u0 & 3;
        barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    return a;
}


__attribute__((reqd_work_group_size(2, 2, 2))) __kernel void k12(__global uint *out, __global const uint *in, __constant uint *uni, __global const uint *same, __global uint *acc, __global const float *fin, __global float *fout, uint n, int m) {
    uint at = flat_global_id();
    const uint l = flat_local_id();
    uint a = in[at & 63], b = in[0u & 63];
    for (uint i2 = l; i2 < l + 0u; i2++) {
        const uint t8 = part12_3(l, in[a & 63] - i2, 0u << 0u, n, flat_group_id());
    }
}
