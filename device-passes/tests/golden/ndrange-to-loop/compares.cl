// host: dim=1 global=1024 local=64
__kernel void k(__global int *o, int n, uint u, long m, size_t s) {
    if (get_global_id(0) < n) o[0] = 1;
    if (get_global_id(0) < u) o[1] = 1;
    if (get_global_id(0) < m) o[2] = 1;
    if (get_global_id(0) < s) o[3] = 1;
    if (get_global_id(0) < 100) o[4] = 1;
    if (get_global_id(0) - 1 < n) o[5] = 1;
    if (get_global_id(0) + 1 < u) o[6] = 1;
    if (get_global_id(0) && !get_local_id(0)) o[7] = 1;
    if ((int)get_global_id(0) < n) o[8] = 1;
}
