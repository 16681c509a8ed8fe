__kernel void fold(__global const int *in, __global const int *starts, __global int *out, int rows, __local int *part)
{
    size_t r;
    for (r = get_group_id(0); r < rows; r += get_num_groups(0)) {
        int first = starts[r], end = starts[r + 1];
        size_t i;
        for (i = get_local_id(0); i < 256; i += get_local_size(0))
            part[i] = 0;
        barrier(CLK_LOCAL_MEM_FENCE);
        for (i = get_local_id(0); i < end - first; i += get_local_size(0))
            part[get_local_id(0) * 8 + in[first + i] % 8] += in[first + i];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (i = get_local_id(0); i < 8; i += get_local_size(0)) {
            int sum = 0;
            for (int k = i; k < get_local_size(0) * 8; k += 8)
                sum += part[k];
            part[i] = sum;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        for (i = get_local_id(0); i < 8; i += get_local_size(0))
            out[r * 8 + i] = part[i];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}
