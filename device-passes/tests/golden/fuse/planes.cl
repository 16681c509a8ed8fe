// with: restrict ndrange-to-loop
// host: dim=2 global=?,? local=16,4
// case: rows and columns
__kernel void own(__global const float *restrict a, __global float *restrict o, int w) {
    __local float tile[4][16];
    int x = get_global_id(0), y = get_global_id(1);
    float v = a[y * w + x];
    tile[get_local_id(1)][get_local_id(0)] = v;
    barrier(CLK_LOCAL_MEM_FENCE);
    o[y * w + x] = v - tile[get_local_id(1)][get_local_id(0)];
}
// case: the other end of the row
__kernel void ends(__global const float *restrict a, __global float *restrict o, int w) {
    __local float tile[4][16];
    int x = get_global_id(0), y = get_global_id(1);
    tile[get_local_id(1)][get_local_id(0)] = a[y * w + x];
    barrier(CLK_LOCAL_MEM_FENCE);
    o[y * w + x] = tile[get_local_id(1)][15 - get_local_id(0)];
}
