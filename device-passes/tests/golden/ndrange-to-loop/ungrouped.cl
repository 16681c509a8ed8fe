// with: ungrouped=yes
// case: nothing tells groups apart
// host: dim=2 global=1024,512 local=16,16 args=a,b,1024
__kernel void copy(__global const float *restrict a, __global float *restrict b, int w) {
    int x = get_global_id(0), y = get_global_id(1);
    b[y * w + x] = a[y * w + x];
}
// case: nothing is known
// host: unknown
__kernel void copy(__global const float *restrict a, __global float *restrict b, int w) {
    int x = get_global_id(0), y = get_global_id(1);
    b[y * w + x] = a[y * w + x];
}
// case: the size of groups is demanded
// host: dim=1 global=1024 local=16 args=a,b
__attribute__((reqd_work_group_size(16, 1, 1)))
__kernel void copy(__global const float *restrict a, __global float *restrict b) {
    b[get_global_id(0)] = a[get_global_id(0)];
}
// case: ids in groups are asked for
// host: dim=1 global=1024 local=16 args=a,b
__kernel void copy(__global const float *restrict a, __global float *restrict b) {
    b[get_global_id(0)] = a[get_local_id(0)];
}
// case: groups may have memory
// host: dim=1 global=1024 local=16 args=a,b,local:64
__kernel void copy(__global const float *restrict a, __global float *restrict b, __local float *t) {
    b[get_global_id(0)] = a[get_global_id(0)];
}
