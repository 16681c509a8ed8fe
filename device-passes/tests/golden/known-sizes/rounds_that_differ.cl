// host: dim=1 global=64 local=16 args=a,b,1024
// with: specialise

// case: some run once more than others
__kernel void k(__global const int *a, __global int *b, int n) {
    for (int i = get_global_id(0); i < n - 1; i += get_global_size(0))
        b[i] = a[i];
}

// case: the counter is set elsewhere
__kernel void k(__global const int *a, __global int *b, int n) {
    int i = get_global_id(0);
    for (int j = 0; j < 2; j++)
        while (i < n) {
            b[i] = a[i];
            i += get_global_size(0);
        }
}

// case: the loop may go on early
__kernel void k(__global const int *a, __global int *b, int n) {
    for (int i = get_global_id(0); i < n; i += get_global_size(0)) {
        if (a[i] < 0)
            continue;
        b[i] = a[i];
    }
}

// case: a condition on more than the counter
__kernel void k(__global const int *a, __global int *b, int n) {
    for (int i = get_global_id(0); i < n && a[i] > 0; i += get_global_size(0))
        b[i] = a[i];
}

// case: the counter would wrap around
__kernel void k(__global const int *a, __global int *b, int n) {
    for (short i = get_global_id(0); i < n; i += get_global_size(0))
        b[i] = a[i];
}

// case: the body changes the counter
__kernel void k(__global const int *a, __global int *b, int n) {
    int i = get_global_id(0);
    while (i < n) {
        b[i] = a[i];
        if (a[i] > 7)
            i += 64;
        i += get_global_size(0);
    }
}

// case: a step between the first value and the loop
__kernel void k(__global const int *a, __global int *b, int n) {
    int i = get_global_id(0);
    if (a[i] > 0)
        i += 64;
    while (i < n) {
        b[i] = a[i];
        i += get_global_size(0);
    }
}
