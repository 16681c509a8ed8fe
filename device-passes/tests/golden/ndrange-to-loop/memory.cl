// host: dim=1 global=64 local=8
// CL2.0
// Images, program-scope variables, generic pointers, atomics in expressions.
__global int total = 3;
__global int seen[64];
__constant float scale[2] = { 0.5f, 2.0f };
__constant sampler_t nearest = CLK_NORMALIZED_COORDS_FALSE | CLK_FILTER_NEAREST;

float4 texel(__read_only image2d_t image, sampler_t sampler, int x) {
    barrier(CLK_LOCAL_MEM_FENCE);
    return read_imagef(image, sampler, (int2)(x, 0)) * scale[x & 1];
}

__kernel void images(__read_only image2d_t in, __write_only image2d_t out) {
    int x = get_global_id(0);
    float4 t = texel(in, nearest, x);
    write_imagef(out, (int2)(x, 1), t);
}

__kernel void both_ways(__read_write image2d_t image) {
    int2 at = (int2)(get_global_id(0), 0);
    write_imagef(image, at, (float4)(1.0f));
    atomic_work_item_fence(CLK_IMAGE_MEM_FENCE, memory_order_acq_rel, memory_scope_work_item);
    write_imagef(image, at, read_imagef(image, at) * 2.0f);
}

__kernel void scope(__global int *o) {
    int g = get_global_id(0);
    int before = seen[g] + total;
    barrier(CLK_GLOBAL_MEM_FENCE);
    seen[g ^ 1] = before;
    o[g] = before;
}

__kernel void by_generic(__global int *o) {
    __local int s[8];
    int *p = s;
    p[get_local_id(0)] = 3;
    work_group_barrier(CLK_LOCAL_MEM_FENCE);
    o[get_global_id(0)] = to_local(p) ? p[7 - get_local_id(0)] : 0;
}

__kernel void counted(__global int *o) {
    __local int count[2];
    if (get_local_id(0) == 0)
        count[0] = count[1] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    o[get_global_id(0)] = atomic_inc(&count[get_local_id(0) & 1]) + 1;
}
