__kernel void reverse(__global int *data, __local int *tile, __local int *other, int global0,
                      int local0)
{
    for (int group = 0; group < global0 / local0; group++) {
        for (int id = 0; id < local0; id++)
            tile[id] = data[group * local0 + id];
        for (int id = 0; id < local0; id++)
            data[group * local0 + id] = tile[local0 - 1 - id];
    }
}
