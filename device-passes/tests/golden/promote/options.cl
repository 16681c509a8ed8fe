__kernel void k(__global const int *restrict a, __global int *restrict b, int n, int m) {
    for (int i = 0; i < n; i++)
        for (int l = 0; l < m; l++)
            b[i] += a[l];
}

// case: nobody says how many elements
// host: dim=1 global=64 local=16 args=x,y,10,8
// with: specialise

// case: a constant that the host passes
// host: dim=1 global=64 local=16 args=x,y,10,8
// with: promote=8 specialise

// case: after ndrange-to-loop
// host: dim=1 global=64 local=16 args=x,y,10,8
// with: promote=8 specialise ndrange-to-loop
