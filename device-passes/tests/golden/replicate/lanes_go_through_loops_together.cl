// aoc does not vectorise kernels whose work-items diverge in loops.
// with: work-group-size simd=4
// host: dim=2 global=1024,1024 local=64,1
__kernel void scale1(__global float *a, int n)
{
    int g = get_global_id(0);
    float s = 0;
    for (int i = 0; i < n; i++) s += a[i * 64 + g];
    a[g] = s;
}
__kernel void scale2(__global float *a, int n)
{
    int g = get_global_id(0);
    float s = 0;
    if (g < n) s = a[g + 1];
    a[g] = s;
}
__kernel void scale3(__global float *a, int n)
{
    int g = get_global_id(0);
    float s = 0;
    for (int i = get_group_id(0); i < n; i++) s += i;
    a[g] = s;
}
__kernel void scale4(__global float *a, int n)
{
    int g = get_global_id(0);
    float s = 0;
    for (int i = 0; i < g; i++) s += a[i];
    a[g] = s;
}
__kernel void scale5(__global float *a, int n)
{
    int g = get_global_id(0);
    float s = 0;
    for (int i = 0; i < n; i++) { if (a[i + g] > 0) break; s += 1; }
    a[g] = s;
}
__kernel void scale6(__global float *a, int n)
{
    int g = get_global_id(0);
    float s = 0;
    if (g < n) for (int i = 0; i < n; i++) s += a[i];
    a[g] = s;
}
__kernel void scale7(__global float *a, int n)
{
    int g = get_global_id(0);
    float s = 0;
    if (g >= n) return; for (int i = 0; i < n; i++) s += a[i];
    a[g] = s;
}
__kernel void scale8(__global float *a, int n)
{
    int g = get_global_id(0);
    float s = 0;
    int m = a[g]; while (m > 0) { s += m; m -= 1; }
    a[g] = s;
}
__kernel void scale9(__global float *a, int n)
{
    int g = get_global_id(0);
    float s = 0;
    int m = 0; if (g > 4) m = n; for (int i = 0; i < m; i++) s += 1;
    a[g] = s;
}
__kernel void scale10(__global float *a, int n)
{
    int g = get_global_id(0);
    float s = 0;
    int m = n; for (int i = 0; i < 4; i++) if (a[i + g] > 0) m++; for (int i = 0; i < m; i++) s += 1;
    a[g] = s;
}
