/* k-means clustering by Lloyd's iteration. Points are stored feature by feature, so that
 * neighbouring work-items read neighbouring values. SUM_GROUP comes from the build options. */

/* Point-major to feature-major. */
__kernel void transpose(__global const float *points, __global float *features, int n, int width)
{
    int point = get_global_id(0);
    int feature = get_global_id(1);
    if (point < n && feature < width)
        features[feature * n + point] = points[point * width + feature];
}

/* The nearest centre of each point; of several equally near ones, the first. The centres are
 * copied to local memory by the whole group. */
__kernel void assign(__global const float *features, __global const float *centres,
                     __local float *near, __global int *membership, int n, int width, int clusters)
{
    int point = get_global_id(0);
    int lane = get_local_id(0);
    int lanes = get_local_size(0);

    for (int i = lane; i < clusters * width; i += lanes)
        near[i] = centres[i];
    barrier(CLK_LOCAL_MEM_FENCE);

    if (point < n) {
        float least = FLT_MAX;
        int nearest = 0;
        for (int c = 0; c < clusters; c++) {
            float distance = 0.0f;
            for (int f = 0; f < width; f++) {
                float difference = features[f * n + point] - near[c * width + f];
                distance += difference * difference;
            }
            if (distance < least) {
                least = distance;
                nearest = c;
            }
        }
        membership[point] = nearest;
    }
}

/* The sum of one feature over the points of one cluster, and their number: one group a cluster
 * (dimension 0) and feature (dimension 1). */
__kernel void cluster_sums(__global const float *features, __global const int *membership,
                           __global float *sums, __global int *counts, int n, int width)
{
    __local float part[SUM_GROUP];
    __local int members[SUM_GROUP];

    int lane = get_local_id(0);
    int cluster = get_group_id(0);
    int feature = get_global_id(1);

    float sum = 0.0f;
    int count = 0;
    for (int point = lane; point < n; point += SUM_GROUP) {
        if (membership[point] == cluster) {
            sum += features[feature * n + point];
            count++;
        }
    }
    part[lane] = sum;
    members[lane] = count;
    barrier(CLK_LOCAL_MEM_FENCE);

    if (lane == 0) {
        float total = 0.0f;
        int all = 0;
        for (int i = 0; i < SUM_GROUP; i++) {
            total += part[i];
            all += members[i];
        }
        sums[cluster * width + feature] = total;
        if (feature == 0)
            counts[cluster] = all;
    }
}
