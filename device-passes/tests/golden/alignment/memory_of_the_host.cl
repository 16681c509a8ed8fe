// host: dim=1 global=64 local=null args=a,b
// buffer: a 4096 READ_ONLY USE_HOST_PTR
// buffer: b 4096 READ_WRITE
__kernel void scale(__global const float *a, __global float *b) {
    int i = get_global_id(0);
    b[i] = 2 * a[i];
}
