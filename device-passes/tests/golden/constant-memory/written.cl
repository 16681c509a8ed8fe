// host: dim=1 global=64 local=null args=weights,data
// buffer: weights 256 READ_ONLY
// buffer: data 4096 READ_WRITE
__kernel void weigh(__global float *weights, __global float *data) {
    int i = get_global_id(0);
    data[i] += weights[i & 63];
    if (i == 0)
        weights[0] = 0;
}
