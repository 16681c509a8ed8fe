float id(void) { return get_global_id(0); }
float twice(float x) { return x * 2; }
float both(int d) { return id() + get_local_size(d); }
void meet(__local float *s, float x) { s[get_local_id(0)] = x; barrier(CLK_LOCAL_MEM_FENCE); }
__kernel void ask(__global float *a, int d)
{
    __local float s[64];
    meet(s, both(d));
    a[get_global_linear_id()] = twice(s[get_local_id(0) ^ 1]) + get_global_id(d) + get_local_linear_id();
}
__kernel void other(__global float *a) { a[0] = id(); }
// case
// with: coarsen=0:2
// host: kernel=ask dim=1 global=1024 local=64
