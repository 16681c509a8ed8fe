// host: kernel=k dim=1 global=n local=null args=a,b,a|b,b,NULL|a
// buffer: a bytes ?
// buffer: b bytes ?
typedef __global float *floats;
// case
typedef struct { float x; } one;
__kernel void k(floats a, __global const one b[], __constant float *c,
__global volatile float *restrict d, __global void *e)
{
    a[0] = b[1].x + c[2];
    d[0] = *(__global float *)e;
}
// case: what was printed is read again, and stays as it is

typedef struct {
    float x;
} one;

// alignment: parameters 'a', 'b', 'c', 'd' and 'e' are aligned to 64 bytes, as the buffers of the launches are (checked at each launch)
__kernel void k(floats __attribute__((align_value(64))) a,
                __global const one *__attribute__((align_value(64))) b,
                __constant float *__attribute__((align_value(64))) c,
                __global volatile float *restrict __attribute__((align_value(64))) d,
                __global void *__attribute__((align_value(64))) e) {
    a[0] = b[1].x + c[2];
    d[0] = *(__global float *)e;
}
