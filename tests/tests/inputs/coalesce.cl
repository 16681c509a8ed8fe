
__kernel void planes(__global const int *in, __global int *out, int n) {
    int x = get_global_id(0), y = get_global_id(1);
    if (x < n)
        out[y * 16 + x] += in[x * 8 + y] * n;
}
__kernel void alone(__global const int *in, __global int *out, int n) {
    int at = 0;
    for (int i = 0; i < n; i++)
        for (int j = 7; j >= 0; j -= 3) {
            if (in[at] > 20)
                continue;
            out[i * 8 + j] = in[at++] + i;
        }
    for (int i = 2; i < 5; i++)
        for (int j = i; j < n; j++)
            out[i + j] += in[j];
}
