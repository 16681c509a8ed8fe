
__kernel void a(__global int *o, int n) {
    int l = get_local_id(0), u = 7;
    if (l < n) u = 100 / n;
    o[get_global_id(0)] = u;
}
__kernel void b(__global int *o, int n) {
    int g = get_global_id(0);
    o[g] = 0;
    for (int i = 0; i < n; i++) o[g] += 100 / n;
}
__kernel void c(__global int *o, int n) {
    int m = (n + 1) * 2 + 0x7fffffff + 1;
    o[get_global_id(0)] = 9;
    if (n != -1) o[get_global_id(0)] = m / n;
}
int quotient(int a, int n) { if (n == 0) return 3; return a / n; }
__kernel void d(__global int *o, int n) {
    o[get_global_id(0)] = quotient(100, n) + (n ? n % n : 5);
}
__kernel void e(__global int *o, int n) {
    int4 w = (int4)(4);
    if (n > 0) { w = (int4)(100) / (int4)(n); w /= n; }
    o[get_global_id(0)] = w.x + w.w;
}
__kernel void f(__global int *o, int n) {
    int g = get_global_id(0);
    uint u = n;
    char t = n;
    o[g] = 1;
    if (g < u) { u = 50; u %= n; o[g] = u / t + g / n; }
}
__kernel void g(__global int *o, int n) {
    int g = get_global_id(0);
    if (g < n) o[g] = g / n + g % n + n / 3;
    else o[g] = 2;
}
