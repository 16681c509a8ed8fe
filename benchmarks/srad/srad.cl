/* Speckle reducing anisotropic diffusion (Y. Yu and S. T. Acton, IEEE Transactions on Image
 * Processing 11 (2002)): smooths an ultrasound image except across edges. GROUP and TILE come from
 * the build options; TILE_PITCH is a tile's row with a border of one pixel on both sides. */

#define TILE_PITCH (TILE + 2)

/* Sum and sum of squares of the pixels of each work-group, by a tree in local memory. */
__kernel void group_sums(__global const float *image, __global float *sums, __global float *squares,
                         int count)
{
    __local float sum[GROUP];
    __local float square[GROUP];
    int lane = get_local_id(0);
    int i = get_global_id(0);

    float value = (i < count) ? image[i] : 0.0f;
    sum[lane] = value;
    square[lane] = value * value;

    for (int half_way = GROUP / 2; half_way > 0; half_way >>= 1) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (lane < half_way) {
            sum[lane] += sum[lane + half_way];
            square[lane] += square[lane + half_way];
        }
    }

    if (lane == 0) {
        sums[get_group_id(0)] = sum[0];
        squares[get_group_id(0)] = square[0];
    }
}

/* The square of the speckle's coefficient of variation over the whole image, q0: one work-item. */
__kernel void speckle(__global const float *sums, __global const float *squares,
                      __global float *q0_squared, int groups, int count)
{
    if (get_global_id(0) != 0)
        return;
    float sum = 0.0f;
    float square = 0.0f;
    for (int g = 0; g < groups; g++) {
        sum += sums[g];
        square += squares[g];
    }
    float mean = sum / count;
    float variance = square / count - mean * mean;
    q0_squared[0] = variance / (mean * mean);
}

/* The diffusion coefficient of each pixel, from its differences to the four neighbours. */
__kernel void coefficients(__global const float *image, __global float *coefficient,
                           __global const float *q0_squared, int rows, int columns)
{
    __local float tile[TILE_PITCH * TILE_PITCH];

    int lx = get_local_id(0);
    int ly = get_local_id(1);
    int x = get_global_id(0);
    int y = get_global_id(1);

    /* Beyond the edge: the pixel at the edge. The rounded-up part of the grid loads too. */
    int cx = min(x, columns - 1);
    int cy = min(y, rows - 1);
    int at = (ly + 1) * TILE_PITCH + lx + 1;
    float centre = image[cy * columns + cx];

    tile[at] = centre;
    if (lx == 0)
        tile[at - 1] = image[cy * columns + max(cx - 1, 0)];
    if (lx == TILE - 1)
        tile[at + 1] = image[cy * columns + min(x + 1, columns - 1)];
    if (ly == 0)
        tile[at - TILE_PITCH] = image[max(cy - 1, 0) * columns + cx];
    if (ly == TILE - 1)
        tile[at + TILE_PITCH] = image[min(y + 1, rows - 1) * columns + cx];
    barrier(CLK_LOCAL_MEM_FENCE);

    if (x < columns && y < rows) {
        float north = tile[at - TILE_PITCH] - centre;
        float south = tile[at + TILE_PITCH] - centre;
        float west = tile[at - 1] - centre;
        float east = tile[at + 1] - centre;

        float gradient = (north * north + south * south + west * west + east * east)
                         / (centre * centre);
        float laplacian = (north + south + west + east) / centre;
        float damping = 1.0f + 0.25f * laplacian;
        float q_squared = (0.5f * gradient - 0.0625f * laplacian * laplacian) / (damping * damping);

        float q0 = q0_squared[0];
        float value = 1.0f / (1.0f + (q_squared - q0) / (q0 * (1.0f + q0)));
        coefficient[y * columns + x] = clamp(value, 0.0f, 1.0f);
    }
}

/* One step of diffusion, in another image: a pixel's coefficient serves its north and west side,
 * the neighbour's the south and east side. */
__kernel void diffuse(__global const float *image, __global const float *coefficient,
                      __global float *next, float lambda, int rows, int columns)
{
    int x = get_global_id(0);
    int y = get_global_id(1);
    if (x >= columns || y >= rows)
        return;

    int here = y * columns + x;
    int north = (y > 0) ? here - columns : here;
    int south = (y < rows - 1) ? here + columns : here;
    int west = (x > 0) ? here - 1 : here;
    int east = (x < columns - 1) ? here + 1 : here;

    float value = image[here];
    float own = coefficient[here];
    float divergence = own * (image[north] - value) + coefficient[south] * (image[south] - value)
                       + own * (image[west] - value) + coefficient[east] * (image[east] - value);
    next[here] = value + 0.25f * lambda * divergence;
}

/* The image for display: 0 to 255, rounded. */
__kernel void to_bytes(__global const float *image, __global uchar *pixels, float scale, int count)
{
    int i = get_global_id(0);
    if (i < count)
        pixels[i] = convert_uchar_sat_rte(image[i] * scale);
}
