// host: kernel=copy dim=1 global=64 local=null args=a,b
__kernel void copy(__global const float *a, __global float *b) {
    int i = get_global_id(0);
    b[i] = a[i];
}
__kernel void twice(__global float *a) {
    copy(a, a + 1);
    copy(a, a + 2);
}
