// host: dim=1 global=64 local=8
int unknown(int x);
__kernel void inner(__global int *a) {
    a[get_global_id(0)] = 1;
}
__kernel void outer(__global int *a) {
    inner(a);
}
__kernel void outside(__global int *a) {
    a[get_global_id(0)] = unknown(3);
}
