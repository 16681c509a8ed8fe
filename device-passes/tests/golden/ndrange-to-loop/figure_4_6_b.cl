// host: unknown
__kernel void hello_world(int tid) {
    unsigned thread_id = get_global_id(0);
    if (thread_id == tid) {
        printf("tid #%u\n", tid);
    }
}
