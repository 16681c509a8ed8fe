// host: dim=1 global=64 local=16
int up(__local int *s, int n);

int down(__local int *s, int n) {
    barrier(CLK_LOCAL_MEM_FENCE);
    return n > 0 ? up(s, n - 1) : s[0];
}

int up(__local int *s, int n) {
    return down(s, n);
}

int total(__local int *s) {
    barrier(CLK_LOCAL_MEM_FENCE);
    return s[0] + s[1];
}

int jump(__local int *s) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (s[0] > 3)
        goto end;
    s[0] = 3;
end:
    return s[0];
}

__kernel void recursive(__global int *o, __local int *s) {
    s[get_local_id(0)] = 1;
    o[get_global_id(0)] = down(s, 3);
}

__kernel void in_a_step(__global int *o, __local int *s, int n) {
    s[get_local_id(0)] = 1;
    for (int i = 0; i < n; i += total(s)) {
        if (o[i] == 3)
            continue;
        o[get_global_id(0)] = i;
    }
}

int wide(__local int *s) {
    barrier(CLK_LOCAL_MEM_FENCE);
    return max(s[0], s[1]);
}

__kernel void hides(__global int *o, __local int *max) {
    o[get_global_id(0)] = wide(max);
}

__kernel void jumps(__global int *o, __local int *s) {
    o[get_global_id(0)] = jump(s);
}
