__kernel void copy(__global const int *__attribute__((align_value(64))) in, __global int *out)
{
    size_t i = get_global_id(0);
    out[i] = in[i] + 2;
}

__kernel void fpgacc_general_copy(__global const int *in, __global int *out)
{
    size_t i = get_global_id(0);
    out[i] = in[i] + 1;
}
