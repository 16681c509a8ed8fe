// host: kernel=k dim=1 global=64 local=null args=t,t,t,t,t,t,t,t,t,t,o
// buffer: t 64 READ_ONLY COPY_HOST_PTR
// buffer: o 1048576 READ_WRITE
__kernel void k(__global const float *t0, __global const float *t1, __global const float *t2, __global const float *t3, __global const float *t4, __global const float *t5, __global const float *t6, __global const float *t7, __global const float *t8, __global const float *t9, __global float *out) { int i = get_global_id(0); out[i] = t0[i] + t1[i] + t2[i] + t3[i] + t4[i] + t5[i] + t6[i] + t7[i] + t8[i] + t9[i]; }
