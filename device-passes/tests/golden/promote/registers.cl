// with: promote=64

// The features of a point, which each cluster reads again: registers, and the loop over them is unrolled.
__kernel void nearest(__global const float *restrict feature, __constant float *cluster,
                      __global int *restrict nearest, int points, int clusters) {
    int point = get_global_id(0), index = 0;
    float least = 1e30f;
    for (int i = 0; i < clusters; i++) {
        float sum = 0;
        for (int l = 0; l < 8; l++) {
            float x = feature[l * points + point] - cluster[i * 8 + l];
            sum += x * feature[l * points + point];
        }
        if (sum < least) {
            least = sum;
            index = i;
        }
    }
    nearest[point] = index;
}

// Two loops, one of them downwards by two; unsigned counters; the loop runs at least once.
__kernel void two(__global const int *restrict a, __global int *restrict out, int n) {
    int sum = 0, i = 0;
    do {
        for (uint y = 2; y < 5; ++y)
            for (int x = 7; x > 0; x -= 2)
                sum += a[y * 16 + x] * i;
    } while (++i < n);
    out[0] = sum;
}

// In memory: the loop that indexes the array holds another one.
__kernel void around(__global const int *restrict a, __global int *restrict out, int n) {
    for (int i = 0; i < 9; i++)
        for (int y = 0; y < 4; y++)
            for (int j = 0; j < 5; j++)
                out[i * 5 + j] += a[y] * j;
}

// An index from memory: both are read before the loop.
__kernel void gather(__global const int *restrict at, __global const float *restrict a,
                     __global float *restrict out, int n) {
    for (int i = 0; i < n; i++) {
        float sum = 0;
        for (int k = 0; k < 4; k++)
            sum += a[at[k]] * i;
        out[i] = sum;
    }
}

// Indices and pointers of their own for each iteration.
__kernel void rows(__global const float *restrict a, __global float *restrict out, int n, int m) {
    int g = get_global_id(0);
    for (int i = 0; i < n; i++) {
        float sum = 0;
        for (int y = 0; y < 4; y++) {
            __global const float *row = a + (g + y) * m;
            for (int x = 0; x < 4; x++) {
                const uint at = x * 2 + 1;
                sum += row[at] * i;
            }
        }
        out[g] += sum;
    }
}
