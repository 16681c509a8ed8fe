/* A version for groups of 2 and the arguments -1, 65535, -7, 1 << 40, 0.5, one for groups of 4, and
 * the original. Each adds a number of its own, so that it shows which one ran. */
__attribute__((reqd_work_group_size(1, 1, 1)))
__kernel void scale(__global float *out, char c, ushort s, int n, long w, float f, int global0)
{
    for (int i = 0; i < global0; i++)
        out[i] = -1 + 2 * 65535 + 3 * -7 + 4 * (int)(1L << 40) + 0.5f + 1000000 * (float)2;
}

__attribute__((reqd_work_group_size(1, 1, 1)))
__kernel void fpgacc_2_scale(__global float *out, char c, ushort s, int n, long w, float f,
                             int global0)
{
    for (int i = 0; i < global0; i++)
        out[i] = 4000000.0f;
}

__kernel void fpgacc_general_scale(__global float *out, char c, ushort s, int n, long w, float f)
{
    int i = get_global_id(0);
    out[i] = c + 2 * s + 3 * n + 4 * (int)w + f + 1000000 * (float)get_local_size(0) + 100;
}
