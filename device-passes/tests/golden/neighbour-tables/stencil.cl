// with: specialise known-sizes ndrange-to-loop delinearise restrict window
// buffer: a 25600 READ_ONLY
// buffer: b 25600 READ_WRITE
// buffer: c 25600 READ_WRITE
// buffer: n 320 READ_WRITE
// buffer: s 320 READ_WRITE
// buffer: w 320 READ_WRITE
// buffer: e 320 READ_WRITE
// host: dim=1 global=6400 local=64 args=a,b,c,n,s,w,e,80,6400
__kernel void spread(__global const float *a, __global float *b, __global float *c,
                     __global const int *n, __global const int *s, __global const int *w,
                     __global const int *e, int rows, int all) {
    int i = get_group_id(0) * 64 + get_local_id(0);
    int y = (i + 1) % rows - 1;
    int x = (i + 1) / rows + 1 - 1;
    if ((i + 1) % rows == 0) {
        y = rows - 1;
        x = x - 1;
    }
    if (i < all) {
        float own = a[i];
        float north = a[n[y] + rows * x] - own;
        float south = a[s[y] + rows * x] - own;
        float west = a[y + rows * w[x]] - own;
        float east = a[y + rows * e[x]] - own;
        b[i] = north + south;
        c[i] = west + east;
    }
}
