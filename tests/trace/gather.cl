// Accesses and branches that memory decides.
int far(__global const int *in, int at) { return in[at]; }

__kernel void gather(__global const int *order, __global const int *in, __global int *out,
                     __local int *tile)
{
    int id = (int)get_global_id(0);
    int lid = (int)get_local_id(0);
    int sum = far(in, order[id]);
    if (order[id] & 1)
        sum += 5;
    tile[order[lid] % 128] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    int trips = order[id] % 4;
    for (int i = 0; i < trips; i++)
        sum = sum * 3 + tile[order[lid] % 128];
    sum += order[id] % 2 || far(in, order[id]) > 0;
    int4 four = vload4(0, &in[order[id] & ~3]);
    out[id] += sum + four.y;
    atomic_add(&out[1024 + order[id] % 2], 1);
}
