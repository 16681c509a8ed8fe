#ifndef STEP
#define STEP 1
#endif

__kernel void scale(__global const float *from, __global float *to, float factor, int step)
{
    int i = get_global_id(0);
    to[i] = from[i] * factor + step * STEP;
}

__kernel void sums(__global const float *data, __global float *out, __local float *part)
{
    int l = get_local_id(0);
    part[l] = data[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int width = get_local_size(0) / 2; width > 0; width /= 2) {
        if (l < width)
            part[l] += part[l + width];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (l == 0)
        out[get_group_id(0)] = part[0];
}
