// host: dim=1 global=64 local=16 args=a,b
// Which of the two variables is written is not followed: it is no buffer, whichever it is.
__kernel void f(__global const int *a, __global int *b) {
    int l = get_local_id(0), x = 0, y = 0;
    int *of[2] = {&x, &y};
    __local int t[16];
    t[l] = a[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    *of[l & 1] = t[l ^ 1];
    b[get_global_id(0)] = x + y + a[get_global_id(0) ^ 1];
}
