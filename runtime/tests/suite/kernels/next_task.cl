__kernel void next(__global const int *a, __global int *b, int n, int global0, int steps)
{
    for (int i = 1; i < global0; i++) {
        int value = a[i];
        for (int step = 0; step < steps; step++)
            value = value * 3 + n;
        b[i] = value;
    }
}
