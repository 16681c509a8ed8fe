// host: unknown
uint flat_group_id(void) {
    return 0u * get_num_groups(0) + get_group_id(0);
}
__kernel void k28(__global uint *out, __global const uint *uni, uint n, int m) {
    uint u0 = get_global_size(1) - get_global_size(1) + get_local_size(0);
    uint u1 = (uint)(uint)m * (uint)n | (flat_group_id() + u0);
    u0 += 0u - u1 % 1u;
    for (uint i2 = 0; i2 < (uni[u0 & 15] & 3); i2++) {
        switch ((uni[u0 & 15] + (uint)i2) & 3) {
        case 0: {
        }
            break;
        case 2: {
            barrier(CLK_LOCAL_MEM_FENCE);
        }
        }
    }
}
uint part(uint l, uint a, uint u0) {
    uint i5 = u0 & 3;
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    return a;
}
__attribute__((reqd_work_group_size(2, 2, 2))) __kernel void k12(__global uint *out, __global const uint *in) {
    const uint l = get_local_id(0);
    uint a = in[0];
    for (uint i2 = l; i2 < l + 0u; i2++) {
        const uint t8 = part(l, in[a & 63] - i2, flat_group_id());
    }
}
__kernel void continued(__global uint *out, int mode) {
    uint c = 0;
    for (int i = 0; i < 4; i++) {
        switch ((mode + i) & 3) {
        case 0:
            barrier(CLK_GLOBAL_MEM_FENCE);
            c += 3;
        case 1:
            if (mode == 7) continue;
            c += 5;
            break;
        case 2:
            switch (i) {
            case 1: continue;
            }
        }
        c *= 2;
    }
    out[get_global_id(0)] = c;
}
