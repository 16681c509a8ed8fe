// A `float` has its 4 bytes anyway, and vectors have more.
// buffer: a bytes ?
// case
// host: kernel=k dim=1 global=n local=null args=p,?
// buffer: p bytes ? part-of=a origin=12
__kernel void k(__global const float *in, __global float *out)
{
    int i = get_global_id(0);
    out[i] = in[i];
}
// case: vectors
// host: kernel=k dim=1 global=n local=null args=a,b
// buffer: b bytes ?
__kernel void k(__global const float16 *in, __global float16 *out)
{
    int i = get_global_id(0);
    out[i] = in[i];
}
