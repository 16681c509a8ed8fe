__kernel void k0(__global const uint *restrict in, __global uint *restrict out) {
    uint values[50];
    uint *at[50];
    for (int i = 0; i < 50; i++) {
        values[i] = in[i];
        at[i] = &values[i];
    }
    for (int i = 0; i < 50; i++) {
        uint *p = at[i];
        out[i] = *p * 2 + in[i + 1];
    }
}
