// host: dim=1 global=? local=null
__kernel void square(__global int *o, int n) {
    int i = get_global_id(0);
    if (i < n)
        o[i] = i * i;
}
