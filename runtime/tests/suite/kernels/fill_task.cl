/* The transformed kernels add 1000, so that a test sees which ones ran. */
#ifndef N
#define N 1
#endif
__kernel void fill(__global int *out, int global0)
{
    for (int id = 0; id < global0; id++)
        out[id] = N + 1000;
}
__kernel void twice(__global int *out, int global0)
{
    for (int id = 0; id < global0; id++)
        out[id] *= 2;
}
