// What `fpgacc check` advises for kernels of public programs: the same arguments, results and launches, other accesses.
// `pairs.c` times each beside the original.

/* Columns of a tile: 64 bytes of a row, two sectors, all of which are used. */
#define COLUMNS 16
/* A row of a tile in local memory: odd, so that lanes meet in no bank. */
#define PITCH (COLUMNS + 1)
/* Work-items of a group, and rows of a tile. */
#define GROUP 256

/* Brings columns `first` to `first + COLUMNS - 1` of the group's rows into local memory: neighbouring work-items read
 * neighbouring elements. */
static void load_rows(__local float *tile, __global const float *from, int row, int rows, int first, int width)
{
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int at = get_local_id(0); at < GROUP * COLUMNS; at += GROUP) {
        int y = at / COLUMNS, x = at % COLUMNS;
        if (row + y < rows && first + x < width)
            tile[y * PITCH + x] = from[(row + y) * width + first + x];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
}

// Gaussian elimination: columns along the first dimension, as they lie.
__kernel void Fan2(__global float *factors, __global float *matrix, __global float *right, const int size, const int step)
{
    int column = get_global_id(0), row = get_global_id(1);
    if (row >= size - 1 - step || column >= size - step)
        return;
    int to = row + 1 + step;
    matrix[size * to + column + step] -= factors[size * to + step] * matrix[size * step + column + step];
    if (column == 0)
        right[to] -= factors[size * to + step] * right[step];
}

// k-means: features transposed through a tile.
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1)))
void kmeans_swap(__global float *features, __global float *columns, int points, int width)
{
    __local float tile[GROUP * PITCH];
    int point = get_global_id(0), item = get_local_id(0);
    for (int first = 0; first < width; first += COLUMNS) {
        load_rows(tile, features, point - item, points, first, width);
        int count = min(COLUMNS, width - first);
        if (point < points)
            for (int x = 0; x < count; x++)
                columns[(first + x) * points + point] = tile[item * PITCH + x];
    }
}

// srad: sums of a group by work-items in a row, so that whole warps have nothing to do.
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1)))
void reduce_kernel(long unused, long count, int step, __global float *sums, __global float *squares, int groups)
{
    __local float sum[GROUP], square[GROUP];
    int item = get_local_id(0), group = get_group_id(0);
    int at = group * GROUP + item;
    if (at < count) {
        sum[item] = sums[at * step];
        square[item] = squares[at * step];
    }
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    for (int width = 2; width <= GROUP; width *= 2) {
        int last = (item + 1) * width - 1;
        if (last < GROUP) {
            sum[last] += sum[last - width / 2];
            square[last] += square[last - width / 2];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (item == 0) {
        sums[group * step * GROUP] = sum[GROUP - 1];
        squares[group * step * GROUP] = square[GROUP - 1];
    }
}

// Matrix times vector, a row each.
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1)))
void mvt_kernel1(__global float *matrix, __global float *to, __global float *by, int size)
{
    __local float tile[GROUP * PITCH];
    int row = get_global_id(0), item = get_local_id(0);
    float sum = row < size ? to[row] : 0.0f;
    for (int first = 0; first < size; first += COLUMNS) {
        load_rows(tile, matrix, row - item, size, first, size);
        int count = min(COLUMNS, size - first);
        for (int x = 0; x < count; x++)
            sum += tile[item * PITCH + x] * by[first + x];
    }
    if (row < size)
        to[row] = sum;
}

// Two of them.
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1)))
void gesummv_kernel(__global float *one, __global float *two, __global float *by, __global float *to,
                    __global float *between, float alpha, float beta, int size)
{
    __local float tile_one[GROUP * PITCH], tile_two[GROUP * PITCH];
    int row = get_global_id(0), item = get_local_id(0);
    float first_sum = row < size ? between[row] : 0.0f, second_sum = row < size ? to[row] : 0.0f;
    for (int first = 0; first < size; first += COLUMNS) {
        load_rows(tile_one, one, row - item, size, first, size);
        load_rows(tile_two, two, row - item, size, first, size);
        int count = min(COLUMNS, size - first);
        for (int x = 0; x < count; x++) {
            first_sum += tile_one[item * PITCH + x] * by[first + x];
            second_sum += tile_two[item * PITCH + x] * by[first + x];
        }
    }
    if (row >= size)
        return;
    between[row] = first_sum;
    to[row] = alpha * first_sum + beta * second_sum;
}

// A matrix by its own transpose: both factors' rows through tiles.
#define WIDE 32
#define HIGH 8
__kernel __attribute__((reqd_work_group_size(WIDE, HIGH, 1)))
void syrk_kernel(__global float *factor, __global float *to, float alpha, float beta, int width, int size)
{
    __local float across[WIDE * (WIDE + 1)];
    int column = get_global_id(0), row = get_global_id(1), x = get_local_id(0), y = get_local_id(1);
    int is_inside = row < size && column < size;
    float sum = is_inside ? to[row * size + column] * beta : 0.0f;
    for (int first = 0; first < width; first += WIDE) {
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int line = y; line < WIDE; line += HIGH) {
            int from = column - x + line;
            if (from < size && first + x < width)
                across[line * (WIDE + 1) + x] = factor[from * width + first + x];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        int count = min(WIDE, width - first);
        if (is_inside)
            for (int k = 0; k < count; k++)
                sum += alpha * factor[row * width + first + k] * across[x * (WIDE + 1) + k];
    }
    if (is_inside)
        to[row * size + column] = sum;
}

// The same of two matrices.
__kernel __attribute__((reqd_work_group_size(WIDE, HIGH, 1)))
void syr2k_kernel(__global float *one, __global float *two, __global float *to, float alpha, float beta, int width,
                  int size)
{
    __local float across_one[WIDE * (WIDE + 1)], across_two[WIDE * (WIDE + 1)];
    int column = get_global_id(0), row = get_global_id(1), x = get_local_id(0), y = get_local_id(1);
    int is_inside = row < size && column < size;
    float sum = is_inside ? to[row * size + column] * beta : 0.0f;
    for (int first = 0; first < width; first += WIDE) {
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int line = y; line < WIDE; line += HIGH) {
            int from = column - x + line;
            if (from < size && first + x < width) {
                across_one[line * (WIDE + 1) + x] = one[from * width + first + x];
                across_two[line * (WIDE + 1) + x] = two[from * width + first + x];
            }
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        int count = min(WIDE, width - first);
        if (is_inside)
            for (int k = 0; k < count; k++)
                sum += alpha * one[row * width + first + k] * across_two[x * (WIDE + 1) + k]
                    + alpha * two[row * width + first + k] * across_one[x * (WIDE + 1) + k];
    }
    if (is_inside)
        to[row * size + column] = sum;
}

// Sweeps along rows of matrices that are stored transposed.
__kernel void adi_kernel1(__global float *across, __global float *below, __global float *values, int size)
{
    int row = get_global_id(0);
    if (row >= size)
        return;
    for (int at = 1; at < size; at++) {
        int here = at * size + row, before = here - size;
        values[here] = values[here] - values[before] * across[here] / below[before];
        below[here] = below[here] - across[here] * across[here] / below[before];
    }
}

// Covariances: the half that neighbouring work-items write side by side in the loop, and the other once.
__kernel void covar_kernel(__global float *covariances, __global float *data, int columns, int rows)
{
    int one = get_global_id(0);
    if (one >= columns)
        return;
    for (int two = one; two < columns; two++) {
        float sum = 0.0f;
        for (int row = 0; row < rows; row++)
            sum += data[row * columns + one] * data[row * columns + two];
        covariances[one * columns + two] = sum;
        covariances[two * columns + one] = sum;
    }
}
