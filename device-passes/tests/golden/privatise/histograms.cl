// host: dim=1 global=1024 local=64 args=a,h,c
// with: ndrange-to-loop
__kernel void mask(__global const uint *restrict a, __global uint *restrict h, __global int *restrict c) {
    int i = get_global_id(0);
    atomic_inc(&h[a[i] & 255]);
}
__kernel void two(__global const uchar *restrict a, __global int *restrict h, __global int *restrict c) {
    int i = get_global_id(0);
    uint bin = a[i] / 2;
    if (a[i] > 9)
        atomic_add(h + bin, a[i] * 3L);
    else
        (void)atomic_sub(&h[a[i] % 4], 2);
    atomic_dec(c);
}
