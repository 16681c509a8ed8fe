#pragma OPENCL EXTENSION cl_khr_fp64 : enable
// Literals stay as they are spelled, with the type that they have.
__constant int table[] = {0, 1, -1, 0x7fffffff, -2147483647 - 1, 010, 'a', '\n', '\\', '\'', '\x41'};
__constant float reals[4] = {1, -.5f, 1e-30f, 0x1.8p-3f};

void literals(__global int *i, __global uint *u, __global long *l, __global ulong *ul,
              __global float *f, __global double *d, __global char *c) {
    i[0] = 1 + 0x10 + 017;
    u[0] = 1u + 0xFFFFFFFFu + 4000000000;
    l[0] = 1l + 0x7fffffffffffffffL + -9223372036854775807L - 1;
    ul[0] = 1ul + 0xffffffffffffffffUL + 18446744073709551615UL;
    f[0] = 1.0f + 1.F + .25f + 1e10f + 3.4028235e38f + INFINITY + -INFINITY + NAN + M_PI_F;
    f[1] = 1.0 + 0.1;
    d[0] = 1.0 + 1. + .5 + 1e300 + 0x1.fp3 + M_PI + MAXFLOAT;
    c[0] = 'x' + '\0' + '\t' + 'a' * 'b';
    c[1] = INT_MAX > 0 && CHAR_BIT == 8;
    i[1] = 2147483647 + (-2147483647 - 1) * -1;
    i[2] = -2147483648;
    i[3] = true + false;
    f[2] = FLT_MAX + FLT_EPSILON + HUGE_VALF;
}
