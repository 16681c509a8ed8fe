// What a pointer changes under a mask is not read before.
__kernel void k(__global uint *a, uint n)
{
    __local uint s[16];
    uint l = get_local_id(0), b = a[l];
    uint *p = &b;
    s[l] = b;
    if (a[0] < n + l) {
        *p = l;
        uint c = b;
        barrier(CLK_LOCAL_MEM_FENCE);
        a[get_global_id(0)] = s[15 - l] + c + *p;
    }
}
// case
// host: dim=1 global=64 local=16
