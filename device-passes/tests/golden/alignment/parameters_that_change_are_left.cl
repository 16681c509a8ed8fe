// The attribute speaks of all that a variable holds.
// host: dim=1 global=n local=null args=a,b
// buffer: a bytes ?
// buffer: b bytes ?
void g(__global const float **p) { ++*p; }
__kernel void k1(__global const float *in, __global float *out) { out[0] = *in++; }
__kernel void k2(__global const float *in, __global float *out) { in = out; out[0] = in[1]; }
__kernel void k3(__global const float *in, __global float *out) { g(&in); }
