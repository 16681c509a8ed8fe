__kernel void mark(__global int *out, int global0, int offset0)
{
    for (int id = 0; id < global0; id++)
        out[id + offset0] += global0;
}
