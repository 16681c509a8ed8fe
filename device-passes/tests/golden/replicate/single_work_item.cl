// host: dim=1 global=1 local=1 args=a
// with: simd=4 units=2
__kernel void count(__global int *a) {
    for (int i = 0; i < 64; i++)
        a[i] = i;
}
