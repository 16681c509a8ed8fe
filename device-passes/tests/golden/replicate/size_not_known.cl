// host: dim=1 global=? local=null args=a,b
// with: simd=4
__kernel void add(__global const float *restrict a, __global float *restrict b) {
    int i = get_global_id(0);
    b[i] += a[i];
}
