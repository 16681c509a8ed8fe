// host: dim=1 global=1 local=1
__attribute__((max_global_work_dim(0)))
__kernel void task(__global int *a) {
    a[0] = 1;
}
__attribute__((reqd_work_group_size(1, 1, 1)))
__kernel void also_task(__global int *a) {
    a[0] = 1;
}
