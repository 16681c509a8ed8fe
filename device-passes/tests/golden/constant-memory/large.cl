// host: dim=1 global=64 local=null args=weights,data
// buffer: weights 1048576 READ_ONLY
// buffer: data 4096 READ_WRITE
__kernel void weigh(__global const float *weights, __global float *data) {
    int i = get_global_id(0);
    data[i] += weights[i];
}
