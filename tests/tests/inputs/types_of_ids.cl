// Kernels whose results tell the types of ids and sizes.
int __attribute__((overloadable)) kind(int x) { return 1; }
int __attribute__((overloadable)) kind(uint x) { return 2; }
int __attribute__((overloadable)) kind(long x) { return 3; }
int __attribute__((overloadable)) kind(ulong x) { return 4; }
int __attribute__((overloadable)) kind(float x) { return 5; }

__kernel void overloads(__global long *out) {
    size_t i = get_global_id(0);
    int narrow = get_global_id(0);
    out[i] = 10000 * kind(i) + 1000 * kind(get_local_id(0)) + 100 * kind(get_work_dim()) + 10 * kind(narrow)
        + kind(get_group_id(0) * get_local_size(0) + get_local_id(0)) + 100000 * kind(get_num_groups(0) * 1.0f);
}

__kernel void selections(__global long *out) {
    size_t i = get_global_id(0);
    out[i] = 100 * _Generic(get_global_id(0), int: 1, uint: 2, long: 3, ulong: 4, default: 5)
        + 10 * _Generic(i + 1, int: 1, uint: 2, long: 3, ulong: 4, default: 5)
        + _Generic(get_work_dim(), int: 1, uint: 2, long: 3, ulong: 4, default: 5);
}

__kernel void sizes(__global long *out) {
    __typeof__(get_global_id(0)) i = get_global_id(0);
    __typeof__(i) far = i - 100;
    out[i] = 100 * sizeof(get_local_size(0)) + 10 * sizeof(i * 2) + sizeof(get_work_dim()) + (far > 5) * 1000;
}

__kernel void arithmetic(__global long *out) {
    size_t i = get_global_id(0), l = get_local_id(0);
    long less = get_local_id(0) - 20;
    out[i] = (l - 5 > 3) + 10 * (get_group_id(0) - 2 < 1) + 100 * (less < 0) + 1000 * (long)((i << 33) >> 33)
        + (long)(get_global_size(0) * 0x100000000ul) + (long)((get_local_id(0) - 8) / 3);
}
