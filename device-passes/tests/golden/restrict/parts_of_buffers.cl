// host: kernel=add dim=1 global=n local=null args=dd,db,dc
// buffer: dd bytes ?
__kernel void add(__global const float *a, __global float *b, __global float *c, int n)
{
    int i = get_global_id(0);
    if (i < n)
        c[i] = a[i] + b[i];
}
// case: side by side
// buffer: da bytes ?
// buffer: db 256 ? part-of=da origin=0
// buffer: dc 256 ? part-of=da origin=256
// case: of different buffers
// buffer: da bytes ?
// buffer: db 256 ? part-of=da origin=o
// buffer: dc 256 ? part-of=dx origin=o
// case: from an origin that is not known on
// buffer: da bytes ?
// buffer: db 256 ? part-of=da origin=0
// buffer: dc 256 ? part-of=da origin=o
// case: of a buffer that is not known
// buffer: da bytes ?
// buffer: db 256 ? part-of=da origin=0
// buffer: dc 256 ? part-of=? origin=256
// case: overlapping
// buffer: da bytes ?
// buffer: db 256 ? part-of=da origin=0
// buffer: dc 256 ? part-of=da origin=255
// case: one is a part of another argument
// buffer: da bytes ?
// buffer: db 256 ? part-of=da origin=0
// buffer: dc 256 ? part-of=dd origin=256
// case: a part of memory of the host is memory of the host
// buffer: da bytes ? USE_HOST_PTR
// buffer: db 256 ? part-of=da origin=o
// buffer: dc 256 ? USE_HOST_PTR part-of=dx origin=o
