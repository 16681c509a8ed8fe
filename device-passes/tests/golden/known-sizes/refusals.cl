__kernel void k(__global int *b, int n, short s) {
    int g = get_global_id(0);
    if (g < 64)
        b[g] = 1;
}

// case: no launch is known
// host: unknown

// case: the global size is not known
// host: dim=1 global=? local=16

// case: two launches of different sizes
// host: dim=1 global=64 local=16
// host: dim=1 global=128 local=16

// case: the bound is less
// host: dim=1 global=80 local=16

// case: an offset
// host: dim=1 offset=16 global=64 local=16

// case: only seen in a run
// host: dim=1 global=64 local=16 seen

// case: seen counts
// host: dim=1 global=64 local=16 seen
// with: general=always
