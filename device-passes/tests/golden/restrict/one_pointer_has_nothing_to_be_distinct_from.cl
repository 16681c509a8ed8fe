// host: kernel=one dim=1 global=n local=null args=da
// buffer: da bytes ?
__kernel void one(__global float *a, __local float *l, int n) { a[n] = l[0]; }
