/* One generation of Conway's game of life, on a torus. */
__kernel void generation(__global const uchar *now, __global uchar *next, int width, int height) {
    int x = get_global_id(0), y = get_global_id(1);
    int neighbours = 0;
    for (int dy = -1; dy <= 1; dy++) {
        for (int dx = -1; dx <= 1; dx++) {
            int column = (x + dx + width) % width, row = (y + dy + height) % height;
            if (dx != 0 || dy != 0)
                neighbours += now[row * width + column];
        }
    }
    int at = y * width + x;
    next[at] = neighbours == 3 || (neighbours == 2 && now[at] != 0);
}
