// host: dim=2 global=?,? local=16,4
__kernel void k(__global const float *a, __global float *o, int w) {
    __local float tile[4][16];
    int x = get_global_id(0), y = get_global_id(1);
    float v = a[y * w + x];
    tile[get_local_id(1)][get_local_id(0)] = v;
    barrier(CLK_LOCAL_MEM_FENCE);
    o[y * w + x] = v - tile[3 - get_local_id(1)][15 - get_local_id(0)];
}
