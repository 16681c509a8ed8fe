// host: dim=1 global=64 local=8
__kernel void spins(__global int *o, volatile __global int *flag) {
    o[get_global_id(0)] = 1;
    atomic_inc(flag);
    while (atomic_add(flag, 0) < 64)
        ;
}
__kernel void polls(__global int *o, volatile __global int *flag) {
    while (*flag == 0) {
    }
    o[get_global_id(0)] = 1;
}
__kernel void looks(__global int *o, volatile __global int *flag) {
    while (1) {
        int v = *flag;
        if (v)
            break;
    }
    o[get_global_id(0)] = 1;
}
