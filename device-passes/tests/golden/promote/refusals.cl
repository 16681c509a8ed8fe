// with: promote=16

// case: the loop may write the same memory
__kernel void k(__global int *a, __global int *b, int n) {
    for (int i = 0; i < n; i++)
        for (int l = 0; l < 8; l++)
            b[i] += a[l];
}

// case: other elements are written
__kernel void k(__global int *restrict a, int n) {
    for (int i = 0; i < n; i++)
        for (int l = 0; l < 8; l++)
            a[l + 8] = a[l] + i;
}

// case: volatile
__kernel void k(__global volatile int *restrict a, __global int *restrict b, int n) {
    for (int i = 0; i < n; i++)
        for (int l = 0; l < 8; l++)
            b[i] += a[l];
}

// case: not sure to be read
__kernel void k(__global int *restrict a, __global int *restrict b, int n) {
    for (int i = 0; i < n; i++)
        for (int l = 0; l < 8; l++)
            if (b[i] > 0)
                b[i] += a[l];
}

// case: the loop inside may end early; nothing is expected
__kernel void k(__global int *restrict a, __global int *restrict b, int n) {
    for (int i = 0; i < n; i++)
        for (int l = 0; l < 8; l++) {
            b[i] += a[l];
            if (b[i] > 9)
                break;
        }
}

// case: left before the loop inside
__kernel void k(__global int *restrict a, __global int *restrict b, int n) {
    for (int i = 0; i < n; i++) {
        if (b[i] > 9)
            break;
        for (int l = 0; l < 8; l++)
            b[i] += a[l];
    }
}

// case: too many elements
__kernel void k(__global int *restrict a, __global int *restrict b, int n) {
    for (int i = 0; i < n; i++)
        for (int l = 0; l < 17; l++)
            b[i] += a[l];
}

// case: memory is synchronised
__kernel void k(__global int *restrict a, __global int *restrict b, int n) {
    for (int i = 0; i < n; i++) {
        for (int l = 0; l < 8; l++)
            b[i] += a[l];
        mem_fence(CLK_GLOBAL_MEM_FENCE);
    }
}

// case: the condition has effects
__kernel void k(__global int *restrict a, __global int *restrict b, int n) {
    int i = 0;
    while (i++ < n)
        for (int l = 0; l < 8; l++)
            b[i] += a[l];
}

// case: a number of iterations that is not constant; nothing is expected
__kernel void k(__global int *restrict a, __global int *restrict b, int n) {
    for (int i = 0; i < n; i++)
        for (int l = 0; l < n; l++)
            b[i] += a[l];
}

// case: an index that is written; nothing is expected
__kernel void k(__global int *restrict a, __global int *restrict at, int n) {
    for (int i = 0; i < n; i++)
        for (int l = 0; l < 8; l++)
            at[l + 1] += a[at[l]];
}

// case: the loop runs once
__kernel void k(__global int *restrict a, __global int *restrict b) {
    for (int i = 0; i < 1; i++)
        for (int l = 0; l < 8; l++)
            b[i] += a[l];
}

// case: an index of the iteration; nothing is expected
__kernel void k(__global int *restrict a, __global int *restrict b, int n) {
    for (int i = 0; i < n; i++)
        for (int l = 0; l < 8; l++) {
            int at = l * 8 + i;
            b[i] += a[at];
        }
}

// case: an index that is set again; nothing is expected
__kernel void k(__global int *restrict a, __global int *restrict b, int n) {
    for (int i = 0; i < n; i++)
        for (int l = 0; l < 8; l++) {
            int at = l * 8;
            at += i;
            b[i] += a[at];
        }
}

// case: what counts before the loop; nothing is expected
__kernel void k(__global int *restrict a, __global int *restrict b, int n) {
    int l = n;
    for (int i = 0; i < n; i++) {
        int at = l;
        for (l = 0; l < 8; l++)
            b[i] += a[at + l];
    }
}

// case: a nest that the user makes one loop of; nothing is expected
__kernel void k(__global int *restrict a, __global int *restrict b, int n) {
    #pragma loop_coalesce 2
    for (int i = 0; i < n; i++)
        for (int l = 0; l < 8; l++)
            b[i * 8 + l] = a[l];
}
