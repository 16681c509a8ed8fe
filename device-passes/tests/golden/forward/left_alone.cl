// host: dim=1 global=1 local=1
// case: another pointer may write it
__kernel void other(__global int *a, __global int *b, int n) {
    for (int i = 1; i < n; i++) {
        a[i] = a[i - 1] + 1;
        b[i] = i;
    }
}
// case: the first iteration may not read it
__kernel void sometimes(__global int *restrict a, __global const int *restrict b, int n) {
    for (int i = 0; i < n; i++)
        a[i] = i > 0 ? a[i - 1] + b[i] : b[i];
}
// case: an iteration may end early, or not store
__kernel void early(__global int *restrict a, __global const int *restrict b, int n) {
    for (int i = 1; i < n; i++) {
        if (b[i] == 3) continue;
        a[i] = a[i - 1] + b[i];
    }
    for (int i = 1; i < n; i++) {
        if (b[i] != 3)
            a[i] = a[i - 1] + b[i];
    }
}
// case: twenty iterations before
__kernel void far(__global int *restrict a, int n) {
    for (int i = 20; i < n; i++)
        a[i] = a[i - 20] * 3;
}
