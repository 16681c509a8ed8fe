// host: dim=2 global=64,32 local=8,4
__kernel void columns(__global float *m, __global const float *a, int n) {
    int row = get_global_id(0);
    int column = get_global_id(1);
    m[row * n + column] -= a[row] * m[column];
}
__kernel void rows(__global float *m, int n) {
    m[get_global_id(1) * n + get_global_id(0)] += 1.0f;
}
__kernel void printed(__global float *m, int n) {
    int at = get_global_id(0) * n + get_global_id(1);
    printf("%d\n", at);
    m[at] = 0.0f;
}
