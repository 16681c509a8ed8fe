// launch: matvec float[1000] float[100] int=N float[10]
__kernel void matvec(__global const float *restrict a, __global const float *restrict x, int n,
                     __global float *restrict y)
{
    for (int row = 0; row < 10; row++)
        for (int k = 0; k < n && k < 100; k++)
            y[row] += a[row * 100 + k] * x[k];
}
