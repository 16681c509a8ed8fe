// host: dim=1 global=64 local=8
void sync(void) {
    barrier(CLK_LOCAL_MEM_FENCE);
}
__kernel void in_a_loop(__global int *o) {
    for (int i = 0; i < 4; i++) {
        o[get_global_id(0)] += i;
        barrier(CLK_GLOBAL_MEM_FENCE);
    }
}
__kernel void in_a_branch(__global int *o, int n) {
    if (n > 2) {
        barrier(CLK_GLOBAL_MEM_FENCE);
    }
    o[get_global_id(0)] = n;
}
__kernel void in_a_function(__global int *o) {
    o[get_global_id(0)] = 1;
    sync();
}
__kernel void behind_a_return(__global int *o, int n) {
    if (get_group_id(0) == n)
        return;
    barrier(CLK_GLOBAL_MEM_FENCE);
    o[get_global_id(0)] = n;
}
__kernel void in_an_expression(__global int *o, int n) {
    o[get_global_id(0)] = n;
    n > 3 ? barrier(CLK_GLOBAL_MEM_FENCE) : (void)0;
}
