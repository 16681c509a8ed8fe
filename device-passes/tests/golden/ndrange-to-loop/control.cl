// host: dim=1 global=64 local=8
__kernel void tree(__global const int *a, __global int *o) {
    __local int s[8];
    int l = get_local_id(0);
    s[l] = a[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int w = get_local_size(0) / 2; w > 0; w >>= 1) {
        if (l < w) s[l] += s[l + w];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (l == 0) o[get_group_id(0)] = s[0];
}
__kernel void guarded(__global int *o, int n) {
    __local int s[8];
    int l = get_local_id(0);
    int g = get_global_id(0);
    if (g < n) {
        float x = g * 2.0f;
        s[l] = (int)x;
        barrier(CLK_LOCAL_MEM_FENCE);
        int y = s[l ^ 1];
        barrier(CLK_LOCAL_MEM_FENCE);
        o[g] = y + (int)x;
    } else {
        s[l] = -1;
        barrier(CLK_LOCAL_MEM_FENCE);
        o[g] = s[l ^ 1];
    }
}
__kernel void early(__global int *o, int n) {
    __local int s[8];
    int l = get_local_id(0);
    int g = get_global_id(0);
    if (g >= n) return;
    s[l] = g;
    barrier(CLK_LOCAL_MEM_FENCE);
    o[g] = s[7 - l];
}
__kernel void masked_loop(__global int *o, int n) {
    __local int s[8];
    int l = get_local_id(0);
    int acc = 0;
    for (int i = get_global_id(0); i < n; i += get_global_size(0)) {
        s[l] = i;
        barrier(CLK_LOCAL_MEM_FENCE);
        acc += s[7 - l];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    o[get_global_id(0)] = acc;
}
__kernel void breaks(__global int *o, __global const int *limit) {
    __local int s[8];
    __local int stop;
    int l = get_local_id(0);
    int acc = 0;
    int i = 0;
    while (1) {
        if (l == 0) stop = i >= limit[get_group_id(0)];
        barrier(CLK_LOCAL_MEM_FENCE);
        if (stop) break;
        s[l] = i + l;
        barrier(CLK_LOCAL_MEM_FENCE);
        acc += s[(l + i) % 8];
        if (acc > 1000) continue;
        i++;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    o[get_global_id(0)] = acc;
}
__kernel void k2(__global int *o) {
  __local int s[8];
  int l = get_local_id(0), acc = 0;
  s[l] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int i = 0; i < l + 1; i++) {
    if (i == 0) {
      s[l] = l + 1;
      barrier(CLK_LOCAL_MEM_FENCE);
      acc += s[(l + 1) % 8];
    }
    acc += 100;
  }
  o[get_global_id(0)] = acc;
}
__kernel void sw(__global int *o, int mode, int n) {
    __local int s[8];
    int l = get_local_id(0);
    s[l] = l;
    do {
        switch (mode) {
        case 0:
            barrier(CLK_LOCAL_MEM_FENCE);
            s[7 - l] += 1;
            break;
        case 1:
        case 2:
            s[l] += 5;
            barrier(CLK_LOCAL_MEM_FENCE);
        default:
            barrier(CLK_LOCAL_MEM_FENCE);
            s[l ^ 1] += 2;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        mode = (mode + 1) % 4;
    } while (--n > 0);
    o[get_global_id(0)] = s[l];
}
