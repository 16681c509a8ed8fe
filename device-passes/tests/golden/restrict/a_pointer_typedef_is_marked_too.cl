// host: kernel=k dim=1 global=n local=null args=da,db
// buffer: da bytes ?
// buffer: db bytes ?
typedef __global float *buf;
__kernel void k(buf a, buf b) { a[0] = b[0]; }
