// host: dim=1 global=64 local=16 args=?,local:64
__kernel void indexed(__global int *o, __local int *s) {
    __local int2 pairs[16];
    int l = get_local_id(0);
    s[l] = l;
    pairs[l].x = 2 * l;
    barrier(CLK_LOCAL_MEM_FENCE);
    o[get_global_id(0)] = s[15 - l] + pairs[l ^ 1].x;
}
__kernel void half_given(__global int *o, __local int *s) {
    s[get_local_id(0)] = 1;
    barrier(CLK_LOCAL_MEM_FENCE);
    o[get_global_id(0)] = *s;
}
int sum(__local int *s) {
    return s[0] + s[1];
}
__kernel void reached(__global int *o, __local int *s) {
    __local int t[16], u[4][16];
    int l = get_local_id(0);
    s[l] = t[l] = u[l % 4][l] = l;
    barrier(CLK_LOCAL_MEM_FENCE);
    o[get_global_id(0)] = sum(s) + sum(t) + sum(u[1]) + (s == 0);
}
__kernel void two_tiles(__global int *o) {
    __local int scores[129 * 129], costs[128][128];
    int l = get_local_id(0);
    costs[l][127 - l] = scores[l * 130] = l;
    barrier(CLK_LOCAL_MEM_FENCE);
    o[get_global_id(0)] = scores[l * 130] + costs[15 - l][112 + l];
}
__kernel void too_big(__global int *o, __local int *s) {
    __local int big[16][4097];
    int l = get_local_id(0);
    big[l][0] = s[l] = l;
    barrier(CLK_LOCAL_MEM_FENCE);
    o[get_global_id(0)] = big[15 - l][0] + s[l];
}
