// with: restrict ndrange-to-loop no-delinearise
// host: dim=1 global=? local=32
// case: work-items use what they have stored
__kernel void own(__global const float *restrict a, __global float *restrict b) {
    __local float tile[32];
    int l = get_local_id(0);
    int g = get_global_id(0);
    float v = a[g];
    tile[l] = v * 2.0f;
    barrier(CLK_LOCAL_MEM_FENCE);
    b[g] = tile[l] + v;
}
// case: work-items use what the one before them has stored
__kernel void before(__global const float *restrict a, __global float *restrict b) {
    __local float tile[32];
    int l = get_local_id(0);
    int g = get_global_id(0);
    tile[l] = a[g];
    barrier(CLK_LOCAL_MEM_FENCE);
    b[g] = l > 0 ? tile[l - 1] : tile[l];
}
// case: work-items use what others have stored
__kernel void others(__global const float *restrict a, __global float *restrict b) {
    __local float tile[32];
    int l = get_local_id(0);
    int g = get_global_id(0);
    tile[l] = a[g];
    barrier(CLK_LOCAL_MEM_FENCE);
    b[g] = tile[31 - l];
}
// case: three regions, of which two are one
__kernel void three(__global const float *restrict a, __global float *restrict b) {
    __local float tile[32], sums[32];
    int l = get_local_id(0);
    int g = get_global_id(0);
    tile[l] = a[g];
    barrier(CLK_LOCAL_MEM_FENCE);
    sums[l] = tile[31 - l];
    barrier(CLK_LOCAL_MEM_FENCE);
    b[g] = sums[l] * 2.0f;
}
