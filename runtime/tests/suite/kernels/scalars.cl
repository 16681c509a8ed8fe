/* Writes what it gets, and how large its group is. */
__kernel void scale(__global float *out, char c, ushort s, int n, long w, float f)
{
    int i = get_global_id(0);
    out[i] = c + 2 * s + 3 * n + 4 * (int)w + f + 1000000 * (float)get_local_size(0);
}
