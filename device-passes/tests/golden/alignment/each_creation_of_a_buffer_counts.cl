// Two calls may create a buffer into one variable.
// host: kernel=k dim=1 global=n local=null args=a,?
// buffer: a bytes ?
// buffer: a bytes ? USE_HOST_PTR
__kernel void k(__global const float *in, __global float *out)
{
    int i = get_global_id(0);
    out[i] = in[i];
}
