// with: ndrange-to-loop ungrouped=yes restrict time-steps=3
// host: dim=2 global=16,16 local=16,4 args=a,b,p
// buffer: a 520 READ_WRITE
// buffer: b 520 READ_WRITE
// buffer: p 520 READ_ONLY
// case: work-items beyond the data do nothing
__kernel void plate(__global const float *a, __global float *b, __global const float *p) {
    int x = get_global_id(0), y = get_global_id(1);
    if (x >= 13 || y >= 10)
        return;
    int c = y * 13 + x;
    if (x == 0 || y == 0 || x == 12 || y == 9) {
        b[c] = a[c];
        return;
    }
    b[c] = a[c] + p[c] * (a[c - 1] + a[c + 1] + a[c - 13] + a[c + 13] - 4.0f * a[c]);
}
// case: all of the body is under a condition
__kernel void inside(__global const int *a, __global int *b, __global const int *p) {
    uint x = get_global_id(0), y = get_global_id(1);
    if (x < 13 && y < 10) {
        uint c = y * 13 + x;
        b[c] = (y > 0 ? a[c - 13] : 0) + a[c];
    }
}
// case: which of the others do something depends on data
__kernel void some(__global const int *a, __global int *b, __global const int *p) {
    int x = get_global_id(0), y = get_global_id(1);
    if (x >= 13 || y >= 10 || p[0] > 3)
        return;
    int c = y * 13 + x;
    b[c] = (y > 0 ? a[c - 13] : 0) + a[c];
}
// case: one branch reads where another would, but not always
__kernel void perhaps(__global const int *a, __global int *b, __global const int *p) {
    int x = get_global_id(0), y = get_global_id(1);
    if (x >= 13 || y >= 10)
        return;
    int c = y * 13 + x;
    if (x == 0 || y == 0 || x == 12 || y == 9) {
        if (p[c] > 0)
            b[c] = a[c];
        return;
    }
    b[c] = a[c - 13] + a[c] + a[c + 13];
}
