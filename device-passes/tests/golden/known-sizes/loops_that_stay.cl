// host: dim=1 global=64 local=16

// case: it runs twice
__kernel void k(__global int *b) {
    for (int i = get_global_id(0); i < 65; i += get_global_size(0))
        b[i] = 1;
}

// case: the body changes the counter
__kernel void k(__global int *b) {
    for (int i = get_global_id(0); i < 64; i += get_global_size(0))
        b[i] = i++;
}

// case: the counter's address is taken
__kernel void k(__global int *b) {
    int i, *p = &i;
    for (i = get_global_id(0); i < 64; i += get_global_size(0))
        b[i] = *p;
}

// case: the loop may end early
__kernel void k(__global int *b) {
    for (int i = get_global_id(0); i < 64; i += get_global_size(0)) {
        if (b[i])
            break;
        b[i] = 1;
    }
}

// case: the counter wraps around
__kernel void k(__global int *b) {
    for (char i = get_global_id(0); i < 64; i += 3 * get_global_size(0))
        b[i] = 1;
}

// case: an id that is set again
__kernel void k(__global int *b) {
    int g = get_global_id(0);
    g += b[0];
    if (g < 64)
        b[g] = 1;
}

// case: negative numbers beside unsigned ones
__kernel void k(__global int *b) {
    if ((int)get_local_id(0) - 16 < get_local_size(0))
        b[0] = 1;
}
