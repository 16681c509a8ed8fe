/* Bodies that attract each other: a position and a mass (w) each. */
__kernel void accelerate(__global const float4 *bodies, __global float4 *velocities, int n,
                         float step, float softening, __local float4 *tile) {
    int i = get_global_id(0), item = get_local_id(0), size = get_local_size(0);
    float4 here = bodies[i], sum = (float4)(0.0f);
    for (int first = 0; first < n; first += size) {
        tile[item] = bodies[first + item];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int k = 0; k < size; k++) {
            float4 way = tile[k] - here;
            float square = way.x * way.x + way.y * way.y + way.z * way.z + softening;
            float inverse = 1.0f / sqrt(square);
            sum += way * (tile[k].w * inverse * inverse * inverse);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    sum.w = 0.0f;
    velocities[i] += step * sum;
}

__kernel void move(__global float4 *bodies, __global const float4 *velocities, int n, float step) {
    int i = get_global_id(0);
    if (i < n) {
        float4 way = step * velocities[i];
        bodies[i].xyz += way.xyz;
    }
}
