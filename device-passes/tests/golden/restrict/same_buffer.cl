// host: dim=1 global=64 local=null args=a,b,c
// host: dim=1 global=64 local=null args=a,a,c
__kernel void add(__global const float *a, __global float *b, __global const float *c) {
    int i = get_global_id(0);
    b[i] = a[i] + c[i];
}
