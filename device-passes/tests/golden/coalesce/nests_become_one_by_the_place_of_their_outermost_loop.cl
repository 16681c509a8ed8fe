// The pragma stands where it is asked for, and only where nests are perfect and rectangular.
// host: unknown
// case
// with: coalesce=1
__attribute__((max_global_work_dim(0)))
__kernel void scale1(__global float *a, int n)
{
    for (int k = 0; k < n; k++)
        a[k] = 0;

    for (int i = 0; i < n; i++)
        for (int j = 0; j < n * 2; j += 2)
        {
            a[i * n + j] += 1;
        }
}
__attribute__((max_global_work_dim(0)))
__kernel void scale2(__global float *a, int n)
{
    for (int k = 0; k < n; k++)
        a[k] = 0;
    #pragma ivdep array(a)
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n * 2; j += 2)
        {
            a[i * n + j] += 1;
        }
}
__attribute__((max_global_work_dim(0)))
__kernel void scale3(__global float *a, int n)
{
    for (int k = 0; k < n; k++)
        a[k] = 0;

    for (int i = 0; i < n; i++)
        for (int j = 0; j < n * 2; j += 2)
        {
            switch (j) { case 0: break; default: a[i] += 1; } if (a[j] > 0) continue; a[j] += 2;
        }
}
__attribute__((max_global_work_dim(0)))
__kernel void scale4(__global float *a, int n)
{
    for (int k = 0; k < n; k++)
        a[k] = 0;

    for (int i = 0; i < n; i++)
        for (int j = 0; j < i; j++)
        {
            a[j] += 1;
        }
}
__attribute__((max_global_work_dim(0)))
__kernel void scale5(__global float *a, int n)
{
    for (int k = 0; k < n; k++)
        a[k] = 0;

    for (int i = 0; i < n; i++)
        for (int j = i; j < n; j++)
        {
            a[j] += 1;
        }
}
__attribute__((max_global_work_dim(0)))
__kernel void scale6(__global float *a, int n)
{
    for (int k = 0; k < n; k++)
        a[k] = 0;

    for (int i = 0; i < n; i++)
        for (int j = 1; j < n; j *= 2)
        {
            a[j] += 1;
        }
}
__attribute__((max_global_work_dim(0)))
__kernel void scale7(__global float *a, int n)
{
    for (int k = 0; k < n; k++)
        a[k] = 0;

    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
        {
            a[j] += 1; n--;
        }
}
__attribute__((max_global_work_dim(0)))
__kernel void scale8(__global float *a, int n)
{
    for (int k = 0; k < n; k++)
        a[k] = 0;

    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
        {
            a[j] += 1; j++;
        }
}
__attribute__((max_global_work_dim(0)))
__kernel void scale9(__global float *a, int n)
{
    for (int k = 0; k < n; k++)
        a[k] = 0;

    for (int i = 0; i < n; i++)
        for (int j = 0; a[j] > 0; j++)
        {
            a[j] += 1;
        }
}
__attribute__((max_global_work_dim(0)))
__kernel void scale10(__global float *a, int n)
{
    for (int k = 0; k < n; k++)
        a[k] = 0;

    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
        {
            int *p = &j; a[*p] += 1;
        }
}
__attribute__((max_global_work_dim(0)))
__kernel void scale11(__global float *a, int n)
{
    for (int k = 0; k < n; k++)
        a[k] = 0;

    for (int i = 0; i < n; i++)
        for (int j = 0; j < n * 2; j += 2)
        {
            if (a[j] > 0) break; a[j] += 1;
        }
}
__attribute__((max_global_work_dim(0)))
__kernel void scale12(__global float *a, int n)
{
    for (int k = 0; k < n; k++)
        a[k] = 0;

    for (int i = 0; i < n; i++)
        for (int j = 0; j < n * 2; j += 2)
        {
            if (a[j] > 0) return; a[j] += 1;
        }
}
__attribute__((max_global_work_dim(0)))
__kernel void scale13(__global float *a, int n)
{
    for (int k = 0; k < n; k++)
        a[k] = 0;

    for (int i = 0; i < n; i++)
        { a[i] = 1; for (int j = 0; j < n; j++)
        {
            a[j] += 1; }
        }
}
__attribute__((max_global_work_dim(0)))
__kernel void scale14(__global float *a, int n)
{
    for (int k = 0; k < n; k++)
        a[k] = 0;

    for (int i = 0; i < n; i++)
        while (n > 0)
        {
            a[n--] += 1;
        }
}
__attribute__((max_global_work_dim(0)))
__kernel void scale15(__global float *a, int n)
{
    for (int k = 0; k < n; k++)
        a[k] = 0;
    #pragma loop_coalesce 1
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n * 2; j += 2)
        {
            a[j] += 1;
        }
}
__attribute__((max_global_work_dim(0)))
__kernel void scale16(__global float *a, int n)
{
    for (int k = 0; k < n; k++)
        a[k] = 0;
    #pragma unroll 2
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n * 2; j += 2)
        {
            a[j] += 1;
        }
}
__attribute__((max_global_work_dim(0)))
__kernel void scale17(__global float *a, int n)
{
    for (int k = 0; k < n; k++)
        a[k] = 0;
    #pragma ii 4
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n * 2; j += 2)
        {
            a[j] += 1;
        }
}
// case
// with: coalesce=0
__attribute__((max_global_work_dim(0)))
__kernel void scale(__global float *a, int n)
{
    for (int k = 0; k < n; k++)
        a[k] = 0;

    for (int i = 0; i < n; i++)
        for (int j = 0; j < n * 2; j += 2)
        {
            a[i * n + j] += 1;
        }
}
// case
// with: coalesce=2
__attribute__((max_global_work_dim(0)))
__kernel void scale(__global float *a, int n)
{
    for (int k = 0; k < n; k++)
        a[k] = 0;

    for (int i = 0; i < n; i++)
        for (int j = 0; j < n * 2; j += 2)
        {
            a[i * n + j] += 1;
        }
}
// case
// with: coalesce=9
__attribute__((max_global_work_dim(0)))
__kernel void scale(__global float *a, int n)
{
    for (int k = 0; k < n; k++)
        a[k] = 0;

    for (int i = 0; i < n; i++)
        for (int j = 0; j < n * 2; j += 2)
        {
            a[i * n + j] += 1;
        }
}
