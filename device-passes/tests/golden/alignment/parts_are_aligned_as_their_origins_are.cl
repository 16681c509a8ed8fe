// Parts are aligned as their origins are, and the least of all launches counts.
// host: kernel=k dim=1 global=n local=null args=a,?
// host: kernel=k dim=1 global=n local=null args=p,?
// buffer: a bytes ?
__kernel void k(__global const float *in, __global float *out)
{
    int i = get_global_id(0);
    out[i] = in[i];
}
// case
// buffer: p bytes ? part-of=a origin=0
// case
// buffer: p bytes ? part-of=a origin=4096
// case
// buffer: p bytes ? part-of=a origin=4128
// case
// buffer: p bytes ? part-of=a origin=8
// case
// buffer: p bytes ? part-of=a origin=0/64/80
// case
// buffer: p bytes ? part-of=a origin=128|64..1048576:32
// case
// buffer: p bytes ? part-of=a origin=16..1048576:64
// case
// buffer: p bytes ? part-of=a origin=0..1048576:128
