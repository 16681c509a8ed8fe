/* The kernels of the space of OpenCL optimisations (Panickal et al., papers/001): empty, vector addition, and one whose
 * work for each element is adjustable; and kernels for coarsening: the shapes of those of Magni et al. (papers/000).
 * WIDTH is the width of vectors, 1 to 16. */
#ifndef WIDTH
#define WIDTH 1
#endif
#if WIDTH == 1
typedef float number;
#elif WIDTH == 2
typedef float2 number;
#elif WIDTH == 4
typedef float4 number;
#elif WIDTH == 8
typedef float8 number;
#else
typedef float16 number;
#endif

__kernel void empty(__global const number *a, __global const number *b, __global number *c, int n)
{
}

/* Neighbouring work-items have neighbouring elements. */
__kernel void coalesced(__global const number *a, __global const number *b, __global number *c, int n)
{
    int items = get_global_size(0);
    for (int i = get_global_id(0); i < n / WIDTH; i += items)
        c[i] = a[i] + b[i];
}

/* Each work-item has a block of elements. */
__kernel void blocked(__global const number *a, __global const number *b, __global number *c, int n)
{
    int each = n / WIDTH / get_global_size(0);
    int first = get_global_id(0) * each;
    for (int i = first; i < first + each; i++)
        c[i] = a[i] + b[i];
}

/* 64 operations for each element. */
__kernel void compute(__global const number *a, __global const number *b, __global number *c, int n)
{
    int i = get_global_id(0);
    number x = a[i % (n / WIDTH)], y = b[i % (n / WIDTH)];
    for (int k = 0; k < 32; k++)
        x = x * y + 0.5f;
    c[i % (n / WIDTH)] = x;
}

/* For coarsening: n is the number of rows and columns. */

__kernel void transpose(__global const float *a, __global const float *b, __global float *c, int n)
{
    int x = get_global_id(0), y = get_global_id(1);
    c[x * n + y] = a[y * n + x];
}

__kernel void multiply(__global const float *a, __global const float *b, __global float *c, int n)
{
    int x = get_global_id(0), y = get_global_id(1);
    float sum = 0.0f;
    for (int k = 0; k < n; k++)
        sum += a[y * n + k] * b[k * n + x];
    c[y * n + x] = sum;
}

__kernel void stencil(__global const float *a, __global const float *b, __global float *c, int n)
{
    int x = get_global_id(0), y = get_global_id(1);
    int left = max(x - 1, 0), right = min(x + 1, n - 1);
    int up = max(y - 1, 0), down = min(y + 1, n - 1);
    c[y * n + x] = 0.25f * (a[y * n + left] + a[y * n + right] + a[up * n + x] + a[down * n + x]);
}
