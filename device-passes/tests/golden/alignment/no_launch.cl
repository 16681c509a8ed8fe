// host: unknown
__kernel void scale(__global const float *a, __global float *b) {
    int i = get_global_id(0);
    b[i] = 2 * a[i];
}
