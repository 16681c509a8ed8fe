// host: dim=1 global=? local=null
__kernel void k(__global int *a, int n) {
    __local int s[64];
    for (int j = 0; j < n; j++) {
        s[get_local_id(0)] = a[j];
        barrier(CLK_LOCAL_MEM_FENCE);
        a[get_global_id(0)] += s[0];
    }
}
