// host: kernel=launched dim=1 global=64 local=8
// host: kernel=once dim=1 global=1 local=1
__kernel void launched(__global int *count) {
    atomic_inc(count);
}
__kernel void once(__global int *count) {
    count[0] = 5;
}
__kernel void unknown(__global int *count) {
    count[0] = 5;
}
