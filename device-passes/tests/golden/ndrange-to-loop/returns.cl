// host: dim=1 global=64 local=16
__kernel void behind_a_barrier_in_a_branch(__global int *a, int n) {
    int l = get_local_id(0);
    a[get_global_id(0)] = 1;
    if (l < n) {
        a[get_global_id(0)] = 2;
        barrier(CLK_GLOBAL_MEM_FENCE);
        if (l < 17)
            return;
    }
    a[get_global_id(0)] = 3;
}
__kernel void at_the_end_of_a_branch(__global int *a, int n) {
    int l = get_local_id(0);
    if (n > 3) {
        barrier(CLK_GLOBAL_MEM_FENCE);
        if (l == 3) return;
        a[get_global_id(0)] = 2;
    } else {
        a[get_global_id(0)] = 4;
    }
}
__kernel void in_a_plain_loop(__global int *a, __global const int *b, int n) {
    __local int s[16];
    int l = get_local_id(0);
    for (int i = 0; i < n; i++) {
        if (b[i] == 77) return;
        a[get_global_id(0)] += b[i];
    }
    s[l] = l;
    barrier(CLK_LOCAL_MEM_FENCE);
    a[get_global_id(0)] += s[15 - l];
}
__kernel void too_much(__global int *a) {
    int many[20000];
    many[a[0]] = a[1];
    barrier(CLK_LOCAL_MEM_FENCE);
    a[get_global_id(0)] = many[a[2]];
}
