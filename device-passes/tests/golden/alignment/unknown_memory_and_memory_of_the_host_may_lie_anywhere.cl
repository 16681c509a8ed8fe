__kernel void k(__global const float *in, __global float *out)
{
    int i = get_global_id(0);
    out[i] = in[i];
}
// case
// host: kernel=k dim=1 global=n local=null args=a,?
// host: kernel=k dim=1 global=n local=null args=host,?
// buffer: a bytes ?
// buffer: host bytes ? USE_HOST_PTR
// case
// host: kernel=k dim=1 global=n local=null args=p,?
// buffer: host bytes ? USE_HOST_PTR
// buffer: p bytes ? part-of=host origin=64
// case
// host: kernel=k dim=1 global=n local=null args=?,?
// host: kernel=k dim=1 global=n local=null args=a,?
// buffer: a bytes ?
// case
// host: kernel=k dim=1 global=n local=null args=a|c,?
// buffer: a bytes ?
// case
// host: kernel=k dim=1 global=n local=null args=p,?
// buffer: p bytes ? part-of=c origin=64
// case
// host: kernel=k dim=1 global=n local=null args=p,?
// buffer: a bytes ?
// buffer: p bytes ? part-of=a origin=n
