// host: dim=1 global=1 local=1
// case: a circle
__kernel void circle(__global float *restrict a, __global float *restrict b, int n) {
    for (int i = 1; i < n; i++) {
        a[i] = b[i - 1];
        b[i] = a[i];
    }
}
// case: what is read may be overwritten by then
__kernel void unknown(__global const int *restrict t, __global float *restrict a, __global float *restrict b, int n) {
    for (int i = 1; i < n; i++) {
        b[i] = b[i - 1] + a[t[i]];
        a[i] = 1.0f;
    }
}
// case: what may be the same memory
__kernel void same(__global const float *a, __global float *b, __global float *c, int n) {
    for (int i = 1; i < n; i++) {
        b[i] = b[i - 1] + a[i];
        c[i] = a[i] * 2.0f;
    }
}
// case: alike parts
__kernel void alike(__global const float *restrict a, __global float *restrict b, __global float *restrict c, int n) {
    for (int i = 0; i < n; i++) {
        b[i] = a[i];
        c[i] = a[i] * 2.0f;
    }
}
// case: values for nobody knows how many iterations
__kernel void many(__global const float *restrict a, __global float *restrict b, int n) {
    for (int i = 1; i < n; i++) {
        float v = a[i] * 2.0f;
        b[i] = b[i - 1] + v;
    }
}
// case: too many values
__kernel void large(__global const float *restrict a, __global float *restrict b) {
    for (int i = 1; i < 100000; i++) {
        float v = a[i] * 2.0f;
        b[i] = b[i - 1] + v;
    }
}
// case: left early
__kernel void early(__global const float *restrict a, __global float *restrict b, __global float *restrict c, int n) {
    for (int i = 1; i < n; i++) {
        if (a[i] > 3.0f)
            break;
        b[i] = b[i - 1];
        c[i] = a[i];
    }
}
// case: the bound changes
__kernel void bound(__global const float *restrict a, __global float *restrict b, __global float *restrict c, int n) {
    for (int i = 1; i < n; i++) {
        b[i] = b[i - 1];
        n = n - 1;
        c[i] = a[i];
    }
}
// case: atomics, and what is printed
__kernel void counts(__global const int *restrict a, __global int *restrict b, __global int *restrict c, int n) {
    for (int i = 1; i < n; i++) {
        c[i] = c[i - 1] + a[i];
        atomic_inc(&b[a[i] & 15]);
    }
    for (int i = 1; i < n; i++) {
        c[i] = c[i - 1] + a[i];
        printf("%d\n", i);
    }
}
// case: a pragma
__kernel void pragmas(__global const float *restrict a, __global float *restrict b, __global float *restrict c, int n) {
    #pragma unroll 2
    for (int i = 1; i < n; i++) {
        b[i] = b[i - 1];
        c[i] = a[i];
    }
}
// case: an array of the iteration
__kernel void arrays(__global const float *restrict a, __global float *restrict b, __global float *restrict c) {
    for (int i = 1; i < 100; i++) {
        float t[2];
        t[0] = a[i];
        t[1] = a[i - 1];
        b[i] = b[i - 1] + t[i & 1];
        c[i] = t[0];
    }
}
// case: the row's sum stays where it is
__kernel void rows(__global const float *restrict a, __global float *restrict b) {
    for (int y = 0; y < 16; y++) {
        float s = 0.0f;
        for (int x = 0; x < 64; x++)
            s += a[y * 64 + x];
        b[y] = s;
    }
}
// case: a pointer of the iteration
__kernel void pointers(__global const float *restrict a, __global float *restrict b, __global float *restrict c) {
    for (int i = 1; i < 100; i++) {
        float x = a[i];
        float *p = &x;
        b[i] = b[i - 1] + *p;
        c[i] = *p * 2.0f;
    }
}
