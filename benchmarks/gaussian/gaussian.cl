/* Gaussian elimination without pivoting, one column a step, and the residual of the solution. */

/* The factor by which row `step` is subtracted from each row below it. */
__kernel void multipliers(__global const float *matrix, __global float *factors, int n, int step)
{
    int below = get_global_id(0);
    if (below >= n - 1 - step)
        return;

    int row = step + 1 + below;
    factors[row] = matrix[row * n + step] / matrix[step * n + step];
}

/* Subtracts the scaled row `step` from each row below it, right-hand side included. */
__kernel void eliminate(__global float *matrix, __global float *rhs, __global const float *factors,
                        int n, int step)
{
    int column = step + get_global_id(0);
    int row = step + 1 + get_global_id(1);

    if (column < n && row < n) {
        matrix[row * n + column] -= factors[row] * matrix[step * n + column];
        if (column == step)
            rhs[row] -= factors[row] * rhs[step];
    }
}

/* What is left of each equation: b - A x. */
__kernel void residuals(__global const float *matrix, __global const float *rhs,
                        __global const float *solution, __global float *residual, int n)
{
    int row = get_global_id(0);
    if (row < n) {
        float product = 0.0f;
        for (int column = 0; column < n; column++)
            product += matrix[row * n + column] * solution[column];
        residual[row] = rhs[row] - product;
    }
}
