// host: dim=1 global=64 local=16
__kernel void made_of_what_may_trap(__global int *a, int n, int m) {
    int t = get_local_id(0);
    if (t < n) {
        int q = t / m;
        int v = q + 1;
        a[t] = 5;
        barrier(CLK_LOCAL_MEM_FENCE);
        a[t] += v;
    }
}
__kernel void lists(__global int *a, __global const int *b, int n) {
    int t = get_local_id(0);
    if (t < n) {
        const int two[2] = {b[t], t};
        int free[2] = {t, n};
        float4 f = (float4)(1.0f / n, t, 0, 0);
        barrier(CLK_LOCAL_MEM_FENCE);
        a[t] = two[n & 1] + free[n & 1] + (int)f.x;
    }
}
