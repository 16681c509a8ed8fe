// host: dim=1 global=64 local=16 args=a,b,1024
// with: specialise

// Each work-item runs 16 times, from whatever place it begins.
__kernel void walk(__global const int *a, __global int *b, int n) {
    int i = get_global_id(0), sum = 0;
    while (i < n) {
        sum += a[i];
        i += get_global_size(0);
    }
    b[get_global_id(0)] = sum;
}

// What the counter is after the loop counts; the loop has a pragma, and another is inside.
__kernel void after(__global const int *a, __global int *b, int n) {
    unsigned k;
    int sum = 0;
    #pragma unroll 2
    for (k = get_global_id(0); n > k; k = k + get_global_size(0))
        for (uint j = get_local_id(0); j < 48; j += get_local_size(0))
            sum += a[k] * j;
    b[get_global_id(0)] = sum + k;
}

// Two elements a step, by the number of groups.
__kernel void pairs(__global const int *a, __global int *b, int n) {
    unsigned l = get_local_id(0);
    unsigned i = get_group_id(0) * (get_local_size(0) * 2) + l;
    const unsigned by = get_local_size(0) * 2 * get_num_groups(0);
    int sum = 0;
    while (i < n) {
        sum += a[i] + a[i + get_local_size(0)];
        i += by;
    }
    b[get_global_id(0)] = sum;
}
