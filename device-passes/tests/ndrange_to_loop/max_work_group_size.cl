// host: unknown
__attribute__((max_work_group_size(16, 4, 1)))
__kernel void k(__global float *a) {
    int i = get_global_id(0);
    float mine = a[i];
    barrier(CLK_GLOBAL_MEM_FENCE);
    a[i ^ 1] = mine;
}
