// host: dim=1 global=64 local=null args=a,b
__kernel void copy(__global const float *a, __global float *b) {
    int i = get_global_id(0);
    b[i] = a[i];
}
