// host: dim=1 global=? local=?
__kernel void k(__global const float *a, __global float *o, int n) {
    __local float s[256];
    int l = get_local_id(0);
    int base = get_group_id(0) * n;
    float scale = sqrt((float)n);
    float sum = 0.0f;
    float w[2] = { 0.5f, a[l] };
    for (int i = 0; i < n; i++)
        sum += a[base + i];
    s[l] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    sum += s[0] * scale;
    w[0] += sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    o[base + l] = sum + w[l % 2];
}
