// host: dim=1 global=64 local=8
// CL2.0
__kernel void sub_groups(__global int *o) {
    o[get_global_id(0)] = sub_group_reduce_add(o[get_global_id(0)]);
}

__kernel void asks_for_the_event(__local int *s, __global const int *a) {
    event_t e = async_work_group_copy(s, a, 8, 0);
    wait_group_events(1, &e);
    s[0] = &e != 0;
}

__kernel void narrow_scan(__global int *o, __global char *c) {
    o[get_global_id(0)] = work_group_scan_exclusive_max(c[get_global_id(0)]);
}
