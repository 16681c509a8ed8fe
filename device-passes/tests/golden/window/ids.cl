// with: ndrange-to-loop ungrouped=yes restrict
// host: dim=2 global=64,64 local=16,16 args=a,b
// buffer: a 16384 READ_ONLY
// buffer: b 16384 READ_WRITE
// case: ids without sign, and a border that returns
__kernel void plus(__global const float *a, __global float *b) {
    const uint x = get_global_id(0);
    size_t y = get_global_id(1);
    if (x == 0 || x >= 64u - 1 || y == 0 || y >= 63)
        return;
    b[y * 64 + x] = a[y * 64 + x - 1] + a[y * 64 + x + 1] + a[(y - 1) * 64 + x] + a[(y + 1) * 64 + x];
}
// case: indices of 32 bits that wrap where nothing is read
__kernel void left(__global const float *a, __global float *b) {
    uint x = get_global_id(0), y = get_global_id(1);
    uint c = y * 64 + x;
    b[c] = a[c] + (x > 0 ? a[c - 1] : 0) + (y > 0 ? a[c - 64] : 0);
}
// case: an index that may wrap
__kernel void wraps(__global const float *a, __global float *b) {
    uint x = get_global_id(0), y = get_global_id(1);
    uint c = y * 64 + x;
    b[c] = a[c] + (b[c] > 0 ? a[c - 1] : 0);
}
