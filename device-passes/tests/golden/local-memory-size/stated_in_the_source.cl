// host: dim=1 global=64 local=16 args=a,local:64
__kernel void reverse(__global int *a, __attribute__((local_mem_size(256))) __local int *s) {
    int l = get_local_id(0);
    s[l] = a[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    a[get_global_id(0)] = s[get_local_size(0) - 1 - l];
}
