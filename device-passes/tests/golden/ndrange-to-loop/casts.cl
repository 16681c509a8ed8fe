// host: dim=1 global=? local=64
__kernel void k(__global int *o, __global float *f, int n, uint u) {
    int i = get_global_id(0);
    uint j = get_global_id(0) * u;
    int k = get_global_id(0) * n + get_local_id(0);
    long l = get_global_id(0) * n;
    size_t m = get_local_id(0) * 4 + 1;
    float x = get_global_id(0);
    o[get_global_id(0)] = i + j + k + l + m;
    o[get_local_id(0) * 4 + 1] = 0;
    o[get_global_id(0) * 4 + 1] = 0;
    f[get_global_id(0) + n] = x * get_local_id(0) + (float)get_group_id(0);
    f[get_global_id(0) / 4 % 8] = max(get_local_id(0), (size_t)n);
    vstore4((float4)(get_local_id(0)), get_global_id(0), f);
    o[get_global_id(0) % n] += get_global_id(0);
    printf("%u %d\n", get_global_id(0), (int)get_local_id(0));
}
