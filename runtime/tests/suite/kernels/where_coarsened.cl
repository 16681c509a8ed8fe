/* where, of which a work-item does the work of two neighbours in dimension 0. */
__kernel void where(__global int *out)
{
    for (int lane = 0; lane < 2; lane++) {
        size_t x = (get_global_id(0) - get_global_offset(0)) * 2 + lane;
        size_t y = get_global_id(1) - get_global_offset(1);
        size_t z = get_global_id(2) - get_global_offset(2);
        size_t at = ((z * get_global_size(1) + y) * (get_global_size(0) * 2) + x) * 4;
        size_t id = x + get_global_offset(0), own = get_local_id(0) * 2 + lane;
        out[at] = id + 100 * get_global_id(1) + 10000 * get_global_id(2);
        out[at + 1] = own + 100 * get_local_id(1) + 10000 * get_local_id(2);
        out[at + 2] = get_group_id(0) + 100 * get_group_id(1) + 10000 * get_group_id(2);
        out[at + 3] = get_local_size(0) * 2 + 100 * get_local_size(1) +
                      10000 * get_local_size(2) + 1000000 * get_work_dim();
    }
}
