// with: ndrange-to-loop ungrouped=yes restrict lanes=4 time-steps=3
// host: dim=2 global=16,12 local=16,4 args=a,p,b
// buffer: a 768 READ_WRITE
// buffer: p 768 READ_ONLY
// buffer: b 768 READ_WRITE
// case: corners: what is read first lies one element more than a row ahead
__kernel void life(__global const int *a, __global const int *p, __global int *b) {
    int x = get_global_id(0), y = get_global_id(1);
    if (x == 0 || x == 15 || y == 0 || y == 11)
        return;
    int c = y * 16 + x;
    int sum = a[c - 17] + a[c - 16] + a[c - 15] + a[c - 1] + a[c + 1] + a[c + 15] + a[c + 16] + a[c + 17];
    b[c] = sum == 3 || sum == 2 && a[c] ? p[c] : 0;
}
