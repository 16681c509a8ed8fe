// host: dim=1 global=1 local=1 args=a,b,1024
// case: what is written meanwhile may be another element
__kernel void in_place(__global float *restrict a, int n) {
    for (int i = 1; i < n; i++)
        a[i] = a[i - 1] + a[i + 1];
}
// case: another pointer may lead to the array
__kernel void aliases(__global float *a, __global float *b, int n) {
    for (int i = 1; i < n; i++)
        b[i] = a[i - 1] + a[i];
}
// case: other kernels may write the array
__kernel void fences(__global const float *restrict a, __global float *restrict b, int n) {
    for (int i = 1; i < n; i++) {
        mem_fence(CLK_GLOBAL_MEM_FENCE);
        b[i] = a[i - 1] + a[i];
    }
}
// case: no iteration is sure to read either
__kernel void data(__global const int *restrict a, __global int *restrict b, int n) {
    for (int i = 1; i < n; i++)
        if (b[i])
            b[i] = a[i - 1] + a[i];
}
// case: only one is sure to be read
__kernel void one(__global const int *restrict a, __global int *restrict b, int n) {
    for (int i = 1; i < n; i++)
        b[i] = a[i] + (b[i] ? a[i - 1] : 0);
}
// case: every other element
__kernel void even(__global const int *restrict a, __global int *restrict b, int n) {
    for (int i = 0; i < n; i++)
        b[i] = a[2 * i] + a[2 * i + 1];
}
// case: in steps of two
__kernel void steps(__global const int *restrict a, __global int *restrict b, int n) {
    for (int i = 0; i < n; i += 2)
        b[i] = a[i] + a[i + 1];
}
// case: elements far apart, and nobody knows how many iterations there are
__kernel void far(__global const int *restrict a, __global int *restrict b, int n) {
    for (int i = 0; i < n; i++)
        b[i] = a[i] + a[i + 100];
}
// case: elements too far apart
__kernel void farther(__global const int *restrict a, __global int *restrict b) {
    for (int i = 0; i < 1024; i++)
        b[i] = a[i] + a[i + 40000];
}
// case: rows that are long beside what is read of them
__kernel void columns(__global const int *restrict a, __global int *restrict b) {
    for (int y = 0; y < 64; y++)
        for (int x = 0; x < 8; x++)
            b[y * 8 + x] = a[y * 100 + x] + a[y * 100 + x + 100];
}
// case: rows that overlap
__kernel void overlap(__global const int *restrict a, __global int *restrict b) {
    for (int y = 0; y < 64; y++)
        for (int x = 0; x < 8; x++)
            b[y * 8 + x] = a[y * 4 + x] + a[y * 4 + x + 4];
}
// case: a loop that may end early
__kernel void ends(__global const int *restrict a, __global int *restrict b) {
    for (int y = 0; y < 64; y++)
        for (int x = 0; x < 8; x++) {
            if (b[x] == 7)
                break;
            b[y * 8 + x] = a[y * 8 + x] + a[y * 8 + x + 8];
        }
}
// case: a counter that is looked at afterwards
__kernel void seen(__global const int *restrict a, __global int *restrict b) {
    int x;
    for (x = 0; x < 100; x++)
        b[x] = a[x] + a[x + 50];
    b[0] = x;
}
// case: volatile memory
__kernel void changes(__global const volatile int *restrict a, __global int *restrict b, int n) {
    for (int i = 0; i < n; i++)
        b[i] = a[i] + a[i + 1];
}
// case: unsigned counters may wrap
__kernel void wraps(__global const int *restrict a, __global int *restrict b, uint n) {
    for (uint i = 0; i < n; i++)
        b[i] = a[i] + a[i + 1];
}
// case: no iteration is said to depend on another, through any array
__kernel void said(__global const int *restrict a, __global int *restrict b, int n) {
    #pragma ivdep
    for (int i = 0; i < n; i++)
        b[i] = a[i] + a[i + 1];
}
// case: a loop that is to be copied
__kernel void copies(__global const int *restrict a, __global int *restrict b, int n) {
    #pragma unroll 4
    for (int i = 0; i < n; i++)
        b[i] = a[i] + a[i + 1];
}
