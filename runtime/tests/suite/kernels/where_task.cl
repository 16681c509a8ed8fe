__attribute__((reqd_work_group_size(1, 1, 1)))
__kernel void where(__global int *out, int offset0, int offset1, int offset2, int global0,
                    int global1, int global2, int local0, int local1, int local2, int work_dim)
{
    for (int group2 = 0; group2 < global2 / local2; group2++)
    for (int group1 = 0; group1 < global1 / local1; group1++)
    for (int group0 = 0; group0 < global0 / local0; group0++)
    for (int item2 = 0; item2 < local2; item2++)
    for (int item1 = 0; item1 < local1; item1++)
    for (int item0 = 0; item0 < local0; item0++) {
        int x = group0 * local0 + item0;
        int y = group1 * local1 + item1;
        int z = group2 * local2 + item2;
        int at = ((z * global1 + y) * global0 + x) * 4;
        out[at] = x + offset0 + 100 * (y + offset1) + 10000 * (z + offset2);
        out[at + 1] = item0 + 100 * item1 + 10000 * item2;
        out[at + 2] = group0 + 100 * group1 + 10000 * group2;
        out[at + 3] = local0 + 100 * local1 + 10000 * local2 + 1000000 * work_dim;
    }
}
