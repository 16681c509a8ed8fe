// with: interchange=yes ungrouped=yes
// case: planes are walked over outside, and what was read is read again
// host: dim=2 global=32,16 local=16,16
__kernel void planes(__global const float *restrict in, __global float *restrict out) {
    int i = get_global_id(0), j = get_global_id(1);
    int c = i + j * 32;
    int W = i == 0 ? c : c - 1;
    float below, here, above;
    below = here = in[c];
    above = in[c + 512];
    out[c] = below + here + above;
    c += 512;
    W += 512;
    for (int k = 1; k < 8 - 1; ++k) {
        below = here;
        here = above;
        above = in[c + 512];
        out[c] = below + 2.0f * here + above + in[W];
        c += 512;
        W += 512;
    }
    below = here;
    here = above;
    out[c] = below + here;
}
// case: the bound is a parameter
// host: dim=1 global=32 local=16
__kernel void columns(__global const float *restrict in, __global float *restrict out, int n) {
    int i = get_global_id(0);
    unsigned c = i;
    for (int k = 0; k < n; ++k) {
        out[c] = 2.0f * in[c];
        c += 32;
    }
    out[c] = 1.0f;
}
// case: work-items run it differently often
// host: dim=1 global=32 local=16
__kernel void triangle(__global const float *restrict in, __global float *restrict out) {
    int i = get_global_id(0);
    for (int k = 0; k < i; ++k)
        out[k * 512 + i] = in[k * 512 + i];
}
// case: a sum of each work-item would take too much
// host: dim=2 global=1024,1024 local=16,16
__kernel void sums(__global const float *restrict in, __global float *restrict out, int n) {
    int i = get_global_id(0) + get_global_id(1) * 1024;
    float sum = 0.0f;
    for (int k = 0; k < n; ++k)
        sum += in[k * 1024 * 1024 + i];
    out[i] = sum;
}
// case: what is kept is not what the loop would read again
// host: dim=1 global=32 local=16
__kernel void other(__global const float *restrict in, __global float *restrict out) {
    int c = get_global_id(0);
    float before = in[c + 1];
    for (int k = 0; k < 6; ++k) {
        out[c] = before;
        before = in[c];
        c += 32;
    }
}
// case: the memory is written
// host: dim=1 global=32 local=16
__kernel void written(__global float *a) {
    int c = get_global_id(0);
    float before = a[c];
    for (int k = 1; k < 6; ++k) {
        c += 32;
        a[c] += before;
        before = a[c];
    }
}
// case: how many sums there are is not known
// host: dim=1 global=? local=16
__kernel void sums(__global const float *restrict in, __global float *restrict out, int n) {
    int i = get_global_id(0);
    float sum = 0.0f;
    for (int k = 0; k < n; ++k)
        sum += in[k * 1024 + i];
    out[i] = sum;
}
// case: a group keeps its sums
// with: ungrouped=no
// host: dim=1 global=? local=16
__kernel void sums(__global const float *restrict in, __global float *restrict out, int n) {
    int i = get_global_id(0);
    float sum = 0.0f;
    for (int k = 0; k < n; ++k)
        sum += in[k * 1024 + i];
    out[i] = sum;
}
// case: atomic operations come in the order of ids
// host: dim=1 global=32 local=16
__kernel void counts(__global const int *restrict in, __global int *restrict out, int n) {
    for (int k = 0; k < n; ++k)
        atomic_add(&out[in[k * 32 + get_global_id(0)]], 1);
}
// case: loops before, between and after barriers run outside of those over work-items
// with: ungrouped=no
// host: dim=1 global=64 local=16
__kernel void tile(__global const int *restrict in, __global int *restrict out, int n) {
    __local int rows[256];
    int x = get_local_id(0);
    int block = n * 4 * get_group_id(0);
    int first = 3 * block + 5 * n + n * n + block * n + get_group_id(0) * 16 + x;
    for (int y = 0; y < 16; y++)
        rows[y * 16 + x] = in[first + n * y];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int m = 1; m < 16; m++) {
        if (x > 0)
            rows[m * 16 + x] += rows[m * 16 - 17 + x];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    for (int y = 0; y < 16; y++)
        out[first + n * y] = rows[y * 16 + x];
    return;
}
// case: what a work-item sums up is spilled, in groups of a size that is not known
// with: ungrouped=no
// host: dim=1 global=? local=?
__kernel void sums(__global const int *restrict in, __global int *restrict out, __local int *s, int n) {
    int x = get_local_id(0), sum = 0;
    for (int y = 0; y < n; y++)
        sum += in[y * n + x];
    s[x] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = s[x ^ 1];
}
// case: no loop runs outside, and what lives across the barrier is spilled as ever
// with: ungrouped=no
// host: dim=1 global=? local=?
__kernel void triangle(__global int *restrict out, __local int *s, int n) {
    int x = get_local_id(0);
    int sum = s[x];
    for (int y = 0; y < x; y++)
        sum += out[y * n + x];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = s[x ^ 1] + sum;
}
