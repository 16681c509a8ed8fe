// with: restrict
// host: dim=1 global=1 local=1
// case: rows of any length
__kernel void any(__global const float *restrict a, __global float *restrict b, int w) {
    for (int i = 0; i < 6400; i++)
        b[i] = a[i % w];
}
// case: rows of any length, in a variable
__kernel void named(__global const float *restrict a, __global float *restrict b, int w) {
    for (int i = 0; i < 6400; i++) {
        int x = i % w;
        b[i] = a[x];
    }
}
// case: a remainder among the work
__kernel void among(__global const float *restrict a, __global float *restrict b) {
    for (int i = 0; i < 6400; i++) {
        b[i] = a[i % 80];
    }
}
// case: short rows
__kernel void few(__global const float *restrict a, __global float *restrict b) {
    for (int i = 0; i < 6400; i++) {
        int x = i % 4;
        b[i] = a[x];
    }
}
// case: not from 0, by two, with a way out
__kernel void others(__global const float *restrict a, __global float *restrict b) {
    for (int i = 1; i < 6400; i++) {
        int x = i % 80;
        b[i] = a[x];
    }
    for (int i = 0; i < 6400; i += 2) {
        int x = i % 80;
        b[i] = a[x];
    }
    for (int i = 0; i < 6400; i++) {
        int x = i % 80;
        if (a[x] > 3)
            break;
        b[i] = a[x];
    }
}
// case: numbers that wrap
__kernel void wraps(__global const float *restrict a, __global float *restrict b) {
    for (uint i = 0; i < 6400u; i++) {
        uint x = (i - 1u) % 80u;
        b[i] = a[x];
    }
    for (int i = 0; i < 6400; i++) {
        int x = (i - 1) % 80;
        b[i] = a[x + 1];
    }
}
// case: what is counted outlives the loop
__kernel void outlives(__global const float *restrict a, __global float *restrict b) {
    int x = 0;
    for (int i = 0; i < 6400; i++) {
        x = i % 80;
        b[i] = a[x];
    }
    b[x] = 1;
}
