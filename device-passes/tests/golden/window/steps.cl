// with: ndrange-to-loop ungrouped=yes restrict time-steps=3
// host: dim=2 global=16,12 local=16,4 args=a,p,b
// buffer: a 768 READ_WRITE
// buffer: p 768 READ_ONLY
// buffer: b 768 READ_WRITE
// case: all of the grid is written, and another array is read beside
__kernel void heat(__global const float *a, __global const float *p, __global float *b) {
    int x = get_global_id(0), y = get_global_id(1);
    int c = y * 16 + x;
    int w = x == 0 ? c : c - 1;
    int e = x == 15 ? c : c + 1;
    int n = y == 0 ? c : c - 16;
    int s = y == 11 ? c : c + 16;
    b[c] = 0.5f * a[c] + 0.125f * (a[w] + a[e] + a[n] + a[s]) + p[c];
}
// case: borders stay as they are
__kernel void inner(__global const int *a, __global const int *p, __global int *b) {
    int x = get_global_id(0), y = get_global_id(1);
    if (x == 0 || x == 15 || y == 0 || y == 11)
        return;
    int c = y * 16 + x;
    int sum = a[c - 1] + a[c + 1] + a[c - 16] + a[c + 16];
    if (p[c] > 3)
        b[c] = sum;
    else
        b[c] = -sum;
}
// case: each way out writes
__kernel void plate(__global const float *a, __global const float *p, __global float *b) {
    int x = get_global_id(0), y = get_global_id(1);
    int c = y * 16 + x;
    float here = a[c];
    if (x == 0 || y == 0 || x == 15 || y == 11) {
        b[c] = here;
        return;
    }
    b[c] = here + p[0] * (a[c - 1] + a[c + 1] + a[c - 16] + a[c + 16]);
}
// case: a switch says what is written
__kernel void chosen(__global const int *a, __global const int *p, __global int *b) {
    int x = get_global_id(0), y = get_global_id(1);
    int c = y * 16 + x;
    int own = a[c], left = a[x == 0 ? c : c - 1];
    switch (p[c] & 3) {
    case 0:
        b[c] = own;
        break;
    case 2:
        b[c] = left + 1;
        break;
    default:
        break;
    }
}
// case: stages that a launch has no use for divide by nothing
__kernel void divided(__global const int *a, __global const int *p, __global int *b) {
    int x = get_global_id(0), y = get_global_id(1);
    int c = y * 16 + x;
    if (x > 0)
        b[c] = p[c] / a[c] - a[c - 1];
}
// case: what is written depends on what is read
__kernel void some(__global const int *a, __global const int *p, __global int *b) {
    int x = get_global_id(0), y = get_global_id(1);
    int c = y * 16 + x;
    int left = x == 0 ? c : c - 1;
    if (a[left] > 3)
        b[c] = a[c];
}
// case: another element than the one that is written is read
__kernel void own(__global const int *a, __global const int *p, __global int *b) {
    int x = get_global_id(0), y = get_global_id(1);
    int c = y * 16 + x;
    int left = x == 0 ? c : c - 1;
    b[c] += a[c] + a[left];
}
// case: two arrays are written
__kernel void two(__global const int *a, __global int *p, __global int *b) {
    int x = get_global_id(0), y = get_global_id(1);
    int c = y * 16 + x;
    int left = x == 0 ? c : c - 1;
    b[c] = a[c] + a[left];
    p[c] = a[c];
}
