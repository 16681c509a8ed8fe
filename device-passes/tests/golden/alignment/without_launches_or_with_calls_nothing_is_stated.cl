__kernel void k(__global const float *in, __global float *out)
{
    int i = get_global_id(0);
    out[i] = in[i];
}
// case
// host: unknown
// case
// host: kernel=k dim=1 global=n local=null args=a,b
// buffer: a bytes ?
// buffer: b bytes ?
__kernel void other(__global float *x) { k(x + 1, x); }
