// host: dim=1 global=64 local=8
__kernel void copies(__global int *o, __local int *s) {
    event_t e = async_work_group_copy(s, o, 8, 0);
    wait_group_events(1, &e);
    o[get_global_id(0)] = s[0];
}
