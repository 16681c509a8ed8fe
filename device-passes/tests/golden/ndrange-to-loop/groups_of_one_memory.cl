// host: dim=1 global=64 local=1 args=?,local:4
__kernel void k(__global int *o, __local int *s, __global const int *a) {
    __local int t[4];
    s[0] = a[get_global_id(0)];
    t[1] = s[0] * 2;
    barrier(CLK_LOCAL_MEM_FENCE);
    o[get_global_id(0)] = t[1];
}
