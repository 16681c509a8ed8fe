// with: restrict
// host: dim=1 global=1 local=1
// case: what the first stores the second reads
__kernel void together(__global const float *restrict a, __global float *restrict b, __global float *restrict c, int n) {
    for (int i = 0; i < n; i++) {
        b[i] = a[i] * 2.0f;
    }
    for (int i = 0; i < n; i++) {
        c[i] = b[i] + 1.0f;
    }
}
// case: three, other counters, one by one
__kernel void three(__global const int *restrict a, __global int *restrict b, __global int *restrict c) {
    for (int i = 0; i < 100; i++)
        b[i] = a[i];
    for (int j = 0; j <= 99; ++j)
        c[j] = b[j] + j;
    for (int k = 0; 100 > k; k += 1)
        b[k] = c[k] * b[k];
}
// case: an array that is not needed
__kernel void gone(__global const float *restrict a, __global float *restrict b) {
    float t[64];
    for (int i = 0; i < 64; i++) {
        float x = a[i];
        t[i] = x * x;
    }
    for (int i = 0; i < 64; i++) {
        b[i] = t[i] + a[63 - i];
    }
}
// case: the second reads what is older
__kernel void older(__global const float *restrict a, __global float *restrict b, __global float *restrict c, int n) {
    for (int i = 1; i < n; i++)
        b[i] = a[i];
    for (int i = 1; i < n; i++)
        c[i] = b[i - 1];
}
// case: counting down
__kernel void down(__global const float *restrict a, __global float *restrict b, __global float *restrict c, int n) {
    for (int i = n - 2; i >= 0; i--)
        b[i] = a[i];
    for (int i = n - 2; i >= 0; i--)
        c[i] = b[i + 1];
}
// case: nests
__kernel void nests(__global const float *restrict a, __global float *restrict b, __global float *restrict c) {
    for (int y = 0; y < 16; y++)
        for (int x = 0; x < 64; x++)
            b[y * 64 + x] = a[y * 64 + x] * 2.0f;
    for (int y = 0; y < 16; y++)
        for (int x = 0; x < 64; x++)
            c[y * 64 + x] = b[y * 64 + x] + (y > 0 ? b[(y - 1) * 64 + x] : 0.0f);
}
// case: names
__kernel void names(__global const float *restrict a, __global float *restrict b, __global float *restrict c, int n) {
    float t = 3.0f;
    for (int i = 0; i < n; i++) {
        float t = a[i], u = t + 1.0f;
        b[i] = t * u;
    }
    for (int k = 0; k < n; k++) {
        float u = t;
        for (int i = 0; i < 3; i++)
            u += t * k + i;
        c[k] = u;
    }
}
// case: variables that both give a value first
__kernel void temporaries(__global const float *restrict a, __global float *restrict b, __global float *restrict c, int n) {
    int i;
    float t;
    for (i = 0; i < n; i++) {
        t = a[i];
        b[i] = t * t;
    }
    for (i = 0; i < n; i++) {
        t = b[i] - 1.0f;
        c[i] = t * t;
    }
    c[n] = t + i;
}
// case: something between
__kernel void between(__global const float *restrict a, __global float *restrict b, __global float *restrict c, int n) {
    for (int i = 0; i < n; i++)
        b[i] = a[i];
    float s = a[n] * 2.0f;
    c[n] = s;
    for (int i = 0; i < n; i++)
        c[i] = b[i] + s;
}
// case: the end of an iteration of the second
__kernel void ends(__global const float *restrict a, __global float *restrict b, __global float *restrict c, int n) {
    for (int i = 0; i < n; i++)
        b[i] = a[i];
    for (int i = 0; i < n; i++) {
        if (a[i] > 3.0f)
            continue;
        c[i] = b[i];
    }
}
// case: a register as long as nothing else is stored
__kernel void lost(__global const int *restrict a, __global int *restrict b, __global int *restrict c, int n) {
    for (int i = 0; i < n; i++)
        b[i] = a[i];
    for (int i = 0; i < n; i++) {
        int x = b[i];
        b[i] = b[i] + 1;
        c[i] = b[i] + x;
    }
}
// case: vectors
__kernel void vectors(__global const float4 *restrict a, __global float4 *restrict b, __global float4 *restrict c, int n) {
    for (int i = 0; i < n; i++)
        b[i] = a[i];
    for (int i = 0; i < n; i++)
        c[i] = b[i].wzyx + b[i];
}
