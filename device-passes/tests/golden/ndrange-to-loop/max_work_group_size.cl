// host: unknown
__attribute__((max_work_group_size(16, 4, 1)))
__kernel void k(__global float *a) {
    int i = get_global_id(0);
    float mine = a[i];
    barrier(CLK_GLOBAL_MEM_FENCE);
    a[i ^ 1] = mine;
}
__kernel void limited_by_room(__global int *a) {
    int many[1024];
    many[a[0]] = a[1];
    barrier(CLK_LOCAL_MEM_FENCE);
    a[get_global_id(0)] = many[a[2]];
}
