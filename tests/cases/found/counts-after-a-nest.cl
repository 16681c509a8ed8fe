__kernel void k0(__global const uint *restrict a, __global uint *restrict h) {
    for (int y = 0; y < 6; y++)
        for (int x = 0; x < 3; x++)
            atomic_inc(&h[a[y * 3 + x] & 15]);
    for (int i = 0; i < 18; i++)
        atomic_inc(&h[a[i] >> 28]);
    for (int y = 0; y < 6; y++)
        atomic_add(&h[a[y] & 3], y);
}
