// host: dim=1 global=64 local=8
__kernel void jumps(__global int *a) {
    if (a[0]) goto end;
    a[get_global_id(0)] = 1;
end:
    return;
}
