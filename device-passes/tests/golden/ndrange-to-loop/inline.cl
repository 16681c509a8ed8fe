// host: dim=1 global=64 local=16
// Functions with barriers become part of the kernel.
void shift(__local int *s, int l) {
    s[l] += 1;
    barrier(CLK_LOCAL_MEM_FENCE);
}

int clamped(__local const int *s, int at) {
    barrier(CLK_LOCAL_MEM_FENCE);
    at--;
    if (at < 0)
        return s[0];
    if (at > 9) {
        int far = s[9];
        return far * 2;
    }
    return s[at];
}

float twice(float x) {
    return x + x;
}

int rotate_by(__local int *s, int l, int by) {
    int max = s[(l + by) % 16];
    barrier(CLK_LOCAL_MEM_FENCE);
    return max + (int)twice(by);
}

__kernel void statement(__global int *o) {
    __local int s[16];
    int l = get_local_id(0);
    s[l] = l;
    barrier(CLK_LOCAL_MEM_FENCE);
    shift(s, 15 - l);
    o[get_global_id(0)] = s[(l + 3) % 16];
}

__kernel void several_returns(__global int *o, __local int *s) {
    int l = get_local_id(0);
    s[l] = l * l;
    int v = clamped(s, l);
    o[get_global_id(0)] = v;
}

__kernel void in_expressions(__global int *o, __local int *s, int n) {
    int l = get_local_id(0);
    s[l] = o[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    int sum = s[0] * 3 + rotate_by(s, l, 5) - rotate_by(s, l, n);
    o[get_global_id(0)] = sum + twice(sum);
}

__kernel void with_comma(__global int *o, __local int *s) {
    int l = get_local_id(0);
    s[l] = l, barrier(CLK_LOCAL_MEM_FENCE), o[get_global_id(0)] = s[15 - l];
}
