// Loops and branches of many kinds: of each, how often it is taken depends on the work-item alone.
#ifdef ALTERA_CL
#define LEAST 200
#else
#define LEAST 2
#endif
#if __OPENCL_C_VERSION__ < 120 || defined(cl_khr_gl_sharing) || defined(FP_FAST_FMAF)
#define EXTRA 1000
#else
#define EXTRA 0
#endif
#if defined(STEP) && !defined(NOT_THERE)
#define NEXT(i) ((i) += STEP)
#endif

int halvings(int n);

// Bits of n: halvings of halvings(n) - 1.
int rounds(int n) { return n < LEAST ? 0 : halvings(n); }

int halvings(int n)
{
    int count = 0;
    while (n > 1) {
        n /= 2;
        count++;
    }
    return count;
}

__kernel void work(__global int *out, __local int *scratch)
{
    int id = (int)get_global_id(0);
    int local_id = (int)get_local_id(0);
    int sum = 0;
    for (int i = 0; i < id; NEXT(i)) {
        for (int j = 0; j < 3; j++) {
            if ((i + j) % 2 == 0)
                continue;
            sum += j;
        }
    }
    scratch[local_id] = sum;
    for (int stride = (int)get_local_size(0) / 2; stride > 0; stride /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (local_id < stride)
            scratch[local_id] += scratch[local_id + stride];
    }
    int tries = 0;
    do {
        tries++;
    } while (tries < id % 4);
    switch (id % 3) {
    case 0:
        sum++;
    case 1:
        sum += 2;
        break;
    default:
        sum += rounds(id);
    }
    out[id] = sum + tries;
    if (local_id == 0)
        out[id] += scratch[0];
    else if (id == 5)
        return;
    for (;;) {
        if (++sum > 100)
            return;
    }
}

__kernel void many(__global int *out, uint n)
{
    uint i = 0;
    while (i < n)
        i++;
    out[get_global_id(0)] += (int)i;
}

__kernel void straight(__global int *out)
{
    out[get_global_id(0)] += __OPENCL_VERSION__ + EXTRA;
}
