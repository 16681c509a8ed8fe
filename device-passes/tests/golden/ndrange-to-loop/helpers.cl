// host: kernel=first dim=1 global=? local=64
// host: kernel=second dim=1 global=? local=null
int lane(void) { return get_local_id(0); }
int width(void) { return get_local_size(0) * 2; }
int place(int stride) { return get_group_id(0) * stride + lane(); }
void put(__global int *o, int v) { o[place(64)] = v + width(); }
int plain(int x) { return x + 1; }
__kernel void first(__global int *o) {
    put(o, plain(lane()));
}
__kernel void second(__global int *o) {
    o[get_global_id(0)] = lane();
}
