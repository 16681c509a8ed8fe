// host: dim=1 global=1024 local=64 args=a,b
// with: simd=4 units=2 work-group-size
__kernel void add(__global const float *restrict a, __global float *restrict b) {
    int i = get_global_id(0);
    b[i] += a[i];
}
