// What differs between lanes is in the loops over them; what does not is loaded once an iteration.
__kernel void product(__global const float *a, __global const float *b, __global float *c, int n)
{
    int row = get_global_id(1), column = get_global_id(0);
    float sum = 0;
    for (int k = 0; k < n; k++) sum += a[row * n + k] * b[k * n + column];
    c[row * n + column] = sum;
}
// Under a condition that may differ.
__kernel void guarded(__global const float *a, __global const float *b, __global float *c, int n)
{
    int g = get_global_id(0);
    if (g >= n) return;
    float sum = 0;
    for (int k = 0; k < n; k++) sum += a[k] * b[k * n + g];
    c[g] = sum;
}
// Trip counts that differ, and loops that are left early: each lane on its own.
__kernel void alone(__global const int *a, __global int *c, int n)
{
    int g = get_global_id(0), found = 0;
    for (int k = 0; k < g; k++) found += a[k];
    for (int k = 0; k < n; k++) { if (a[k] == g) break; found++; }
    c[g] = found;
}
// case: across a row
// with: coarsen=0:2
// host: dim=2 global=64,64 local=8,8
// case: down a column
// with: coarsen=1:2
// host: dim=2 global=64,64 local=8,8
