// with: promote=256
struct point {
    float x, y;
    int kind;
};
__kernel void fields(__global const struct point *restrict p, __global const float *restrict a,
                     __global float *restrict out)
{
    for (int i = 0; i < 1000; ++i) {
        float s = 0.0f;
        for (int j = 0; j < 16; ++j)
            s += (p[j].x - a[i]) * p[j].y;
        out[i] = s;
    }
}
__kernel void whole(__global const struct point *restrict p, __global const float *restrict a,
                    __global float *restrict out)
{
    for (int i = 0; i < 1000; ++i) {
        float s = 0.0f;
        for (int j = 0; j < 16; ++j) {
            struct point q = p[j];
            s += (q.x - a[i]) * q.y;
        }
        out[i] = s;
    }
}
struct fixed {
    const int a;
    int b;
};
// What cannot be assigned to stays where it is.
__kernel void constants(__global const struct fixed *restrict p, __global int *restrict out)
{
    for (int i = 0; i < 1000; ++i) {
        int s = 0;
        for (int j = 0; j < 16; ++j) {
            struct fixed q = p[j];
            s += q.a - i * q.b;
        }
        out[i] = s;
    }
}
__kernel void written(__global const struct point *restrict p, __global struct point *restrict out)
{
    for (int i = 0; i < 1000; ++i) {
        for (int j = 0; j < 16; ++j) {
            struct point q = out[j];
            q.x += p[i].x * q.y;
            out[j] = q;
        }
    }
}
