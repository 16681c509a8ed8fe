// host: dim=1 global=64 local=32
__kernel void hello_world(int tid) {
    unsigned thread_id = get_global_id(0);
    if (thread_id == tid) {
        printf("tid #%u\n", tid);
    }
}
