// Another input may make its buffers in another way.
// host: kernel=k dim=1 global=n local=null args=a,b seen proved=1
// buffer: a bytes ?
// buffer: b bytes ?
__kernel void k(__global const float *in, __global float *out)
{
    int i = get_global_id(0);
    out[i] = in[i];
}
// case
// case
// with: general=always
