// host: dim=1 global=64 local=null
__kernel void retries(volatile __global uint *sum, __global const uint *a) {
    uint old, new;
    do {
        old = *sum;
        new = old + a[get_global_id(0)];
    } while (atomic_cmpxchg(sum, old, new) != old);
}
__kernel void queue(volatile __global int *next, __global int *o, int n) {
    int i;
    while ((i = atomic_inc(next)) < n)
        o[i] = get_local_id(0);
}
__kernel void searches(__global const int *a, __global int *o, int n) {
    int j = 0;
    while (j < n && a[j] != o[get_global_id(0)])
        j++;
    o[get_global_id(0)] = j;
    for (j = 0; a[j] > 0; j++)
        if (a[j] == 7)
            break;
    o[get_global_id(0)] += j;
}
