// with: specialise known-sizes ndrange-to-loop restrict
// buffer: a 25600 READ_ONLY
// buffer: b 25600 READ_WRITE
// case: work-items
// with: ungrouped=yes
// host: dim=1 global=6400 local=64 args=a,b,80
__kernel void items(__global const float *a, __global float *b, int w) {
    int i = get_global_id(0);
    int x = i % w, y = i / w;
    b[x * 80 + y] = a[i];
}
// case: groups that nothing tells apart but the sum
// host: dim=1 global=6400 local=64 args=a,b,80
__kernel void groups(__global const float *a, __global float *b, int w) {
    int group = get_group_id(0), item = get_local_id(0);
    int i = group * 64 + item;
    int x = i % w, y = i / w;
    b[x * 80 + y] = a[i];
}
// case: more work-items than elements
// host: dim=1 global=6400 local=64 args=a,b,80,6320
__kernel void bounded(__global const float *a, __global float *b, int w, int n) {
    int i = get_group_id(0) * 64 + get_local_id(0);
    if (i >= n)
        return;
    int x = i % w, y = i / w;
    b[x * 80 + y] = a[i];
}
// case: the group is asked for beside
// host: dim=1 global=6400 local=64 args=a,b,80
__kernel void beside(__global const float *a, __global float *b, int w) {
    int group = get_group_id(0);
    int i = group * 64 + get_local_id(0);
    int x = i % w;
    b[i] = a[x] + group;
}
