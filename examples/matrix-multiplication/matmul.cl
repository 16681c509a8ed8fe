#ifndef TILE
#define TILE 16
#endif

/* c = a b, of n x n each: a group computes a tile of c, from tiles of a and b in local memory. */
__kernel void matmul(__global const float *a, __global const float *b, __global float *c, int n) {
    __local float tile_a[TILE][TILE], tile_b[TILE][TILE];
    int column = get_global_id(0), row = get_global_id(1);
    int x = get_local_id(0), y = get_local_id(1);
    float sum = 0.0f;
    for (int tile = 0; tile < n / TILE; tile++) {
        tile_a[y][x] = a[row * n + tile * TILE + x];
        tile_b[y][x] = b[(tile * TILE + y) * n + column];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int k = 0; k < TILE; k++)
            sum += tile_a[y][k] * tile_b[k][x];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    c[row * n + column] = sum;
}
