// host: dim=1 global=64 local=null args=weights,data
// buffer: weights 256 READ_ONLY
// buffer: data 4096 READ_WRITE
__kernel void weigh(__global const float *weights, __global float *data) {
    int i = get_global_id(0);
    for (int j = 0; j < 64; j++)
        data[i] += weights[j];
}
