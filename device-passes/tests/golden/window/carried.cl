// host: dim=1 global=1 local=1 args=a,b
// case: a sum along each row is no sum of one element
__kernel void sums(__global const int *restrict a, __global int *restrict b) {
    for (int y = 1; y < 15; y++) {
        int sum = 0;
        for (int x = 1; x < 31; x++) {
            sum += a[y * 32 + x - 1] + a[(y - 1) * 32 + x + 1];
            b[y * 32 + x] = sum;
        }
    }
}
// case: some iterations only set it
__kernel void last(__global const int *restrict a, __global int *restrict b) {
    for (int y = 1; y < 15; y++) {
        int last;
        for (int x = 1; x < 31; x++) {
            if (x % 3 == 1)
                last = x;
            b[y * 32 + x] = last + a[y * 32 + x - 1] + a[(y - 1) * 32 + x + 1];
        }
    }
}
// case: all iterations set one, and none the other
__kernel void own(__global const int *restrict a, __global int *restrict b) {
    for (int y = 1; y < 15; y++) {
        int sum, more = y * 5;
        for (int x = 1; x < 31; x++) {
            sum = a[y * 32 + x - 1] + a[(y - 1) * 32 + x + 1];
            b[y * 32 + x] = sum + more;
        }
    }
}
// case: what a window of planes may not take apart is the window of rows
__kernel void planes(__global const uchar *restrict a, __global uchar *restrict b) {
    for (int z = 0; z < 5; z++)
        for (int y = 0; y < 4; y++)
            for (int x = 0; x < 20; x++) {
                int c = (z * 6 + y) * 22 + x;
                uint sum = a[c] + a[c + 48];
                if (z < 3)
                    sum += a[c + 216];
                b[c] = (uchar)sum;
            }
}
