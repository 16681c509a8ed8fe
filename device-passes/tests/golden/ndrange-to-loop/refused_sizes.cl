// host: kernel=uneven dim=1 global=100 local=64
// host: kernel=huge dim=1 global=4294967296 local=64
__kernel void uneven(__global int *a) {
    a[get_global_id(0)] = 1;
}
__kernel void huge(__global int *a) {
    a[get_global_id(0)] = 1;
}
