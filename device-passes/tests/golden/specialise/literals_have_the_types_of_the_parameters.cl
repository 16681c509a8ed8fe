// host: kernel=k dim=1 global=n local=null args=?,=-3,200,65535,4000000000,=-9223372036854775808,18446744073709551615,=-0.5f,=2.25
__kernel void k(__global double *a, char c, uchar u, ushort s, uint i, long l, ulong m, float f, double d) {
    a[0] = c + u + s + i + l + m + f + d;
}
