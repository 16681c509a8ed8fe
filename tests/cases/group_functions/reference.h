// The same functions in OpenCL C 1.2, for groups of up to 32 work-items.
#define SCRATCH __local long scratch[32];
#define work_group_reduce_add(v) ref_reduce(scratch, v, 0)
#define work_group_reduce_min(v) ref_reduce(scratch, v, 1)
#define work_group_reduce_max(v) ref_reduce(scratch, v, 2)
#define work_group_scan_inclusive_add(v) ref_scan(scratch, v, 0)
#define work_group_scan_inclusive_min(v) ref_scan(scratch, v, 1)
#define work_group_scan_exclusive_add(v) ref_exclusive(scratch, v, 0, 0)
#define work_group_scan_exclusive_max(v) ref_exclusive(scratch, v, 2, INT_MIN)
#define work_group_any(v) (ref_reduce(scratch, (v) != 0, 2) != 0)
#define work_group_all(v) (ref_reduce(scratch, (v) != 0, 1) != 0)
#define work_group_broadcast(v, ...) ref_broadcast(scratch, v, REF_PLACE(__VA_ARGS__, 0))
#define REF_PLACE(x, y, ...) (int)((x) + (y) * get_local_size(0))

int ref_number(void) {
    return (get_local_id(2) * get_local_size(1) + get_local_id(1)) * get_local_size(0) +
           get_local_id(0);
}

// Spelled out: the Intel emulator gets max() of longs wrong where it makes vectors of work-items.
long ref_op(long a, long b, int op) {
    return op == 0 ? a + b : op == 1 ? (a < b ? a : b) : (a > b ? a : b);
}

// What the first `count` work-items of the group give.
long ref_fold(__local long *s, long v, int op, int count) {
    s[ref_number()] = v;
    barrier(CLK_LOCAL_MEM_FENCE);
    long r = s[0];
    for (int i = 1; i < count; i++)
        r = ref_op(r, s[i], op);
    barrier(CLK_LOCAL_MEM_FENCE);
    return r;
}

long ref_reduce(__local long *s, long v, int op) {
    return ref_fold(s, v, op, get_local_size(0) * get_local_size(1) * get_local_size(2));
}

long ref_scan(__local long *s, long v, int op) {
    return ref_fold(s, v, op, ref_number() + 1);
}

long ref_exclusive(__local long *s, long v, int op, long none) {
    long r = ref_fold(s, v, op, ref_number());
    return ref_number() == 0 ? none : r;
}

long ref_broadcast(__local long *s, long v, int from) {
    s[ref_number()] = v;
    barrier(CLK_LOCAL_MEM_FENCE);
    long r = s[from];
    barrier(CLK_LOCAL_MEM_FENCE);
    return r;
}
