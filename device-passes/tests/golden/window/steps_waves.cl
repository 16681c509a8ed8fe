// with: ndrange-to-loop ungrouped=yes restrict time-steps=5
// host: dim=2 global=16,12 local=16,4 args=a,b,p
// buffer: a 768 READ_WRITE
// buffer: b 768 READ_WRITE
// buffer: p 768 READ_ONLY
// case: the state before the last is overwritten
__kernel void wave(__global const float *a, __global float *b, __global const float *p) {
    int x = get_global_id(0), y = get_global_id(1);
    if (x == 0 || x == 15 || y == 0 || y == 11)
        return;
    int c = y * 16 + x;
    float around = a[c - 1] + a[c + 1] + a[c - 16] + a[c + 16] - 4.0f * a[c];
    b[c] = 2.0f * a[c] - b[c] + p[c] * around;
}
// case: all of the grid is written
__kernel void string(__global const int *a, __global int *b, __global const int *p) {
    int x = get_global_id(0), y = get_global_id(1);
    int c = y * 16 + x;
    int n = y == 0 ? c : c - 16, s = y == 11 ? c : c + 16;
    int old = b[c];
    b[c] = a[n] + a[s] - old;
}
// case: ids without sign
__kernel void membrane(__global const float *a, __global float *b, __global const float *p) {
    uint x = get_global_id(0), y = get_global_id(1);
    if (x > 0 && y > 0 && x < 15 && y < 11)
        b[y * 16 + x] = a[y * 16 + x - 1] + a[(y + 1) * 16 + x] - b[y * 16 + x];
}
// case: whether something is written depends on the state before the last
__kernel void some(__global const int *a, __global int *b, __global const int *p) {
    int x = get_global_id(0), y = get_global_id(1);
    int c = y * 16 + x;
    if (b[c] > 3)
        b[c] = a[c] + a[x == 0 ? c : c - 1];
}
