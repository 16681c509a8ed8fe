// with: unroll=0:4
// host: unknown
__kernel void scale(__global float *a, __local float *t, int n)
{
    for (int i = 0; i < n; i++) {
        t[get_local_id(0)] = a[i];
        barrier(CLK_LOCAL_MEM_FENCE);
        a[i] = t[0];
    }
}
