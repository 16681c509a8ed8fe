// host: unknown
// with: vectorise-loops=4
__kernel void stays(__global float *a, __global float *b, int n)
{
    float sum = 0;
    int last = 0;
    for (int j = 0; j < n; j++) sum += a[j];
    for (int j = 0; j < n; j++) a[j + 1] = a[j];
    for (int j = 0; j < n; j++) a[j] = b[j];
    for (int j = 0; j < n; j += 2) a[j] = 1;
    for (int j = n; j > 0; j--) a[j] = 1;
    for (long j = 0; j < n; j++) a[j] = 1;
    for (int j = 0; j < a[0]; j++) a[j] = 1;
    for (int j = 0; j < n; j++) { if (a[j] > 1) break; a[j] = 1; }
    for (int j = 0; j < n; j++) { last = j; }
    for (int j = 0; j < n; j++) { a[2 * j] = 1; }
    for (int j = 0; j < n; j++) { a[j] = 1; mem_fence(CLK_GLOBAL_MEM_FENCE); }
    for (int j = 0; j < n; j++) { j++; a[j] = 1; }
    for (int j = 0; j < n - j; j++) { a[j] = 1; }
    while (last < n) last++;
    b[0] = sum + last;
}
