// Nobody needs to check what nobody uses.
// host: kernel=k dim=1 global=n local=null args=a,b
// buffer: a bytes ?
// buffer: b bytes ?
__kernel void k(__global const float *in, __global float *out)
{
    int i = get_global_id(0);
    out[i] = i;
}
