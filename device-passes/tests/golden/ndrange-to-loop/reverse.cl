// host: dim=1 global=? local=32
__kernel void reverse(__global const float *a, __global float *b) {
    __local float tile[32];
    int l = get_local_id(0);
    int g = get_global_id(0);
    tile[l] = a[g];
    barrier(CLK_LOCAL_MEM_FENCE);
    b[g] = tile[31 - l];
}
