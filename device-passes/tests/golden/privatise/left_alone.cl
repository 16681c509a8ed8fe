// host: dim=1 global=1 local=1 args=a,h,1024
// case: any element
__kernel void any(__global const int *restrict a, __global int *restrict h, int n) {
    for (int i = 0; i < n; i++)
        atomic_inc(&h[a[i]]);
}
// case: a remainder may be negative
__kernel void negative(__global const int *restrict a, __global int *restrict h, int n) {
    for (int i = 0; i < n; i++)
        atomic_inc(&h[a[i] % 8]);
}
// case: read in the loop
__kernel void read(__global const int *restrict a, __global int *restrict h, int n) {
    for (int i = 0; i < n; i++)
        atomic_add(&h[a[i] & 7], h[0]);
}
// case: what is read may be what is counted
__kernel void aliases(__global const int *a, __global int *h, int n) {
    for (int i = 0; i < n; i++)
        atomic_inc(&h[a[i] & 7]);
}
// case: memory is ordered
__kernel void fence(__global const int *restrict a, __global int *restrict h, int n) {
    for (int i = 0; i < n; i++) {
        atomic_inc(&h[a[i] & 7]);
        mem_fence(CLK_GLOBAL_MEM_FENCE);
    }
}
// case: the old value is used; nothing is expected
__kernel void old(__global int *restrict a, __global int *restrict h, int n) {
    for (int i = 0; i < n; i++)
        a[i] = atomic_inc(&h[a[i] & 7]);
}
// case: the loop may end in the middle
__kernel void ends(__global const int *restrict a, __global int *restrict h, int n) {
    for (int i = 0; i < n; i++) {
        if (a[i] < 0)
            return;
        atomic_inc(&h[a[i] & 7]);
    }
}
// case: others look at it
__kernel void looks(__global const int *restrict a, volatile __global int *restrict h, int n) {
    for (int i = 0; i < n; i++)
        atomic_inc(&h[a[i] & 7]);
}
// case: the pointer moves
__kernel void moves(__global const int *restrict a, __global int *restrict h, int n) {
    for (int i = 0; i < n; i++, h++)
        atomic_inc(&h[a[i] & 7]);
}
